#include "gemmtune/table/triton/triton_params.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

const std::vector<Param> small{{"BLOCK_SIZE_M", "64"},
                               {"BLOCK_SIZE_N", "128"},
                               {"BLOCK_SIZE_K", "256"},
                               {"GROUP_SIZE_M", "1"},
                               {"num_warps", "4"},
                               {"num_stages", "2"},
                               {"waves_per_eu", "2"},
                               {"matrix_instr_nonkdim", "16"},
                               {"cache_modifier", "\".cg\""},
                               {"NUM_KSPLIT", "7"}};

TEST(TritonParams, ShortNamesComeBack) {
  const auto name = name_with_params("triton", small);
  EXPECT_EQ(name, "triton_bm64_bn128_bk256_gm1_w4_s2_wpe2_mi16_cg_ks7");
  EXPECT_EQ(params_in_name(name), small);
}

TEST(TritonParams, LongNamesAsTritonPrintsThem) {
  const auto params = params_in_name(
      "_gemm_afp4wfp4_kernel_BLOCK_SIZE_M_64_BLOCK_SIZE_N_128_GROUP_SIZE_M_4_NUM_KSPLIT_1_cache_modifier_NONE");
  const std::vector<Param> expected{{"BLOCK_SIZE_M", "64"},
                                    {"BLOCK_SIZE_N", "128"},
                                    {"GROUP_SIZE_M", "4"},
                                    {"cache_modifier", "null"},
                                    {"NUM_KSPLIT", "1"}};
  EXPECT_EQ(params, expected);
  EXPECT_EQ(params_in_name("k_BLOCK_SIZE_M_64_cache_modifier_CG").back().value, "\".cg\"");
}

TEST(TritonParams, OtherKernelsSayNoTile) {
  for (const auto* name : {"auto", "_ZN5aiter42f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256E",
                           "cpu_tile_f32_avx2_m6_n16_t2", "a8w8_bpreshuffle_256x128x128x128_16x16_intrawave_v3"})
    EXPECT_FALSE(says_tile(params_in_name(name))) << name;
}

TEST(TritonParams, CellsComeBack) {
  for (const auto* value : {"128", "null", "\".cg\"", "\"cg\"", "\"a\\\"b\"", "[1,2]", "1.5", "true", "\"true\"",
                            "\"\"", "\"128\"", "\"None\""})
    EXPECT_EQ(triton_value("cache_modifier", triton_cell({"cache_modifier", value})), value);
  EXPECT_EQ(triton_cell({"cache_modifier", "null"}), "None");
  EXPECT_EQ(triton_cell({"cache_modifier", "\".cg\""}), ".cg");
  EXPECT_EQ(triton_cell({"kernel_type", "\"gluon\""}), "gluon");
}

}  // namespace
}  // namespace gemmtune
