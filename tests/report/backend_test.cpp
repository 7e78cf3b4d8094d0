#include "gemmtune/report/backend.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(Backend, LibtypeDecides) {
  EXPECT_EQ(backend_of("ASM", "a4w4_blockscale_256x64"), "asm");
  EXPECT_EQ(backend_of("cublaslt", "anything"), "cublaslt");
}

TEST(Backend, NamesOfAiterTellTheirs) {
  EXPECT_EQ(backend_of("", "_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E"), "asm");
  EXPECT_EQ(backend_of("", "f4gemm_bf16_per1x32Fp4"), "asm");
  EXPECT_EQ(backend_of("", "a4w4_blockscale_256x64x128x128_16x16_16x16_8x32x1_8x32x1_1x32x1x8_8_2x2_intrawave_v3"),
            "cktile");
  EXPECT_EQ(backend_of("", "a8w8_blockscale_cktile_128x128"), "cktile");
  EXPECT_EQ(backend_of("", "a8w8_rowwise_256x128x128x64"), "ck");
  EXPECT_EQ(backend_of("", "bf16_batched_256x128"), "ck");
  EXPECT_EQ(backend_of("", "flydsl_gemm2_abf16"), "flydsl");
  EXPECT_EQ(backend_of("", "Cijk_Alik_Bljk"), "hipblaslt");
  EXPECT_EQ(backend_of("", "_gemm_afp4wfp4_gluon_kernel"), "gluon");
}

TEST(Backend, OursBeginWithTheirFamily) {
  const std::vector<std::string> families{"cpu", "cpu_tile", "a8w8"};
  EXPECT_EQ(backend_of("", "cpu_tile_bf16_avx2_n3_m4", {"onednn", "cpu_tile"}), "cpu_tile");
  EXPECT_EQ(backend_of("", "onednn_f32_plain_t2", {"onednn", "cpu_tile"}), "onednn");
  EXPECT_EQ(backend_of("", "a8w8_rowwise_1", families), "a8w8") << "families come before habits of others";
  EXPECT_EQ(backend_of("", "onednn2_f32", {"onednn"}), "onednn") << "as its first word";
}

TEST(Backend, ElseTheFirstWordCounts) {
  EXPECT_EQ(backend_of("", "cutlass_128x256"), "cutlass");
  EXPECT_EQ(backend_of("", "Marlin"), "marlin");
  EXPECT_EQ(backend_of("", "128x256"), "other");
  EXPECT_EQ(backend_of("", ""), "other");
}

}  // namespace
}  // namespace gemmtune
