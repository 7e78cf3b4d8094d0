#include "gemmtune/exchange/tunable_op_file.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

const std::vector<Param> cuda_validators{
    {"PT_VERSION", "2.15.0"}, {"CUBLASLT_VERSION", "130401"}, {"CUDA_DEVICE", "9.0:NVIDIA H100 80GB HBM3"}};

constexpr const char* results =
    "Validator,PT_VERSION,2.15.0\n"
    "Validator,CUBLASLT_VERSION,130401\n"
    "Validator,CUDA_DEVICE,9.0:NVIDIA H100 80GB HBM3\n"
    "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256,Default,0.0123\n"
    "GemmTunableOp_BFloat16_TN,tn_256_38_64_ld_64_64_256,"
    "Gemm_Cublaslt_id_66_tile_23_stages_35_splitk_1_red_0_swizzle_0_custom_3_inner_0_cluster_3,0.0041\n";

TEST(TunableOpFile, ResultsAreReadAndWritten) {
  const auto file = read_tunable_op_file(results, "t.csv");
  EXPECT_EQ(file.validators, cuda_validators);
  ASSERT_EQ(file.entries.size(), 2U);
  EXPECT_EQ(file.entries[0].solution, "Default");
  EXPECT_DOUBLE_EQ(file.entries[0].time_us, 12.3);
  EXPECT_EQ(file.entries[1].where, "t.csv:5");
  EXPECT_EQ(tunable_op_text(file.validators, file.entries, TorchBuild::cuda).text, results);
}

TEST(TunableOpFile, OfEqualKeysTheFirstIsWritten) {
  auto file = read_tunable_op_file(results, "t.csv");
  file.entries.push_back(file.entries[0]);
  file.entries.back().solution = "Other";
  const auto text = tunable_op_text(file.validators, file.entries, TorchBuild::cuda);
  EXPECT_EQ(text.text, results);
  EXPECT_EQ(text.repeated, 1U);
}

TEST(TunableOpFile, Devices) {
  EXPECT_EQ(gfx_of(cuda_validators), "sm90");
  EXPECT_EQ(gfx_of({{"GCN_ARCH_NAME", "gfx942:sramecc+:xnack-"}}), "gfx942");
  EXPECT_EQ(build_of(cuda_validators), TorchBuild::cuda);
  EXPECT_EQ(build_of({{"PT_VERSION", "2.9.0"}, {"GCN_ARCH_NAME", "gfx942"}}), TorchBuild::rocm);
  EXPECT_THROW((void)build_of({{"PT_VERSION", "2.11.0"}}), Error);
}

TEST(TunableOpFile, Solutions) {
  const auto kernel = parse_solution("Gemm_Cublaslt_id_66_tile_23_splitk_-1");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->library, "cublaslt");
  EXPECT_EQ(kernel->settings, (std::vector<Param>{{"id", "66"}, {"tile", "23"}, {"splitk", "-1"}}));
  EXPECT_EQ(solution_text(*kernel), "Gemm_Cublaslt_id_66_tile_23_splitk_-1");
  for (const auto* text : {"Default", "Gemm_Hipblaslt_1219", "Gemm_Hipblaslt_TN_12", ""})
    EXPECT_FALSE(parse_solution(text)) << text;
  EXPECT_EQ(parse_numbered_solution("Gemm_Hipblaslt_1219")->number, 1219);
  EXPECT_EQ(parse_numbered_solution("Gemm_Hipblaslt_TN_12")->number, 12);
  EXPECT_EQ(parse_numbered_solution("Gemm_Rocblas_7")->library, "rocblas");
  EXPECT_FALSE(parse_numbered_solution("Default"));
}

TEST(TunableOpFile, ShapesAreReadLineByLine) {
  const auto list = tunable_op_shapes(
      "Validator,PT_VERSION,2.15.0\n"
      "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256,BLAS_PARAMS: - { function: matmul, M: 256 }\n"
      "SomethingElse_TN,tn_1_2_3\n"
      "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256,Default,0.01\n",
      "t.csv");
  ASSERT_EQ(list.shapes.size(), 1U);
  EXPECT_EQ(list.shapes[0].weight, 2);
  EXPECT_EQ(list.shapes[0].where, "t.csv:2");
  ASSERT_EQ(list.rejected.size(), 1U);
  EXPECT_EQ(list.rejected[0].where, "t.csv:3:1");
}

TEST(TunableOpFile, ALineWithAWrongTimeIsRejected) {
  const auto file = read_tunable_op_file("GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256,Default,soon\n", "t.csv");
  EXPECT_TRUE(file.entries.empty());
  ASSERT_EQ(file.rejected.size(), 1U);
  EXPECT_EQ(file.rejected[0].reason, "found 'soon', expected a time in milliseconds");
}

}  // namespace
}  // namespace gemmtune
