// Lines as PyTorch's signatures are composed. Those of scaled products have not been held against a file that PyTorch
// wrote.
#include "gemmtune/shapes/tunable_op.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::string problem_of(std::string_view line) { return to_string(tunable_op_problem(line)); }

TEST(TunableOp, SizesAreColumnMajor) {
  EXPECT_EQ(problem_of("GemmTunableOp_BFloat16_TN,tn_256_37_7168_ld_7168_7168_256"), "37x256x7168:bf16:bf16:bf16");
  EXPECT_EQ(problem_of("GemmTunableOp_Half_TN,tn_256_37_7168_ld_7168_7168_256,Gemm_Hipblaslt_1219,0.0123"),
            "37x256x7168:f16:f16:f16");
  EXPECT_EQ(problem_of("GemmTunableOp_float_NN,nn_256_37_64_ld_256_64_256"), "37x256x64:f32:f32:f32:nn");
  EXPECT_EQ(problem_of("GemmTunableOp_tf32_NT,nt_256_37_64_ld_256_37_256"), "37x256x64:tf32:tf32:f32:tn");
}

TEST(TunableOp, GapsStay) {
  EXPECT_EQ(problem_of("GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_128_256"), "37x256x64:bf16:bf16:bf16:lda=128");
  EXPECT_EQ(problem_of("GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_96_64_512"),
            "37x256x64:bf16:bf16:bf16:ldw=96:ldc=512");
}

TEST(TunableOp, BiasesBatchesAndScales) {
  EXPECT_EQ(problem_of("GemmAndBiasTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256"), "37x256x64:bf16:bf16:bf16:bias");
  EXPECT_EQ(problem_of("GemmStridedBatchedTunableOp_BFloat16_NN,nn_256_37_64_B_16_ld_256_64_256"),
            "37x256x64:bf16:bf16:bf16:batch=16:nn");
  EXPECT_EQ(problem_of("ScaledGemmTunableOp_Float8_e4m3fn_Float8_e4m3fn_BFloat16_TN,"
                       "tn_256_37_7168_ld_7168_7168_256_a_Float8_e4m3fn_b_Float8_e4m3fn_c_BFloat16_as_Float_bs_Float_"
                       "ast_1_bst_1_dscale_0_fast_0_bias_None"),
            "37x256x7168:e4m3/row:e4m3/row:bf16");
}

/// Older versions say only whether the scales are of rows.
TEST(TunableOp, ScalesOfOlderVersions) {
  const std::string start =
      "ScaledGemmTunableOp_Float8_e4m3fnuz_Float8_e4m3fnuz_BFloat16_TN,tn_1280_16_8192_ld_8192_8192_1280_rw_";
  EXPECT_EQ(problem_of(start + "1_bias_None,Gemm_Hipblaslt_TN_12,0.017"),
            "16x1280x8192:e4m3fnuz/row:e4m3fnuz/row:bf16");
  EXPECT_EQ(problem_of(start + "0_bias_None"), "16x1280x8192:e4m3fnuz/tensor:e4m3fnuz/tensor:bf16");
}

TEST(TunableOp, FilesAreReadLineByLine) {
  const auto list = read_tunable_op(
      "Validator,PT_VERSION,2.15.0\n"
      "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256\n"
      "SomethingElse_TN,tn_1_2_3\n"
      "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256,Default,0.01\n",
      "t.csv");
  ASSERT_EQ(list.shapes.size(), 1U);
  EXPECT_EQ(list.shapes[0].weight, 2);
  EXPECT_EQ(list.shapes[0].where, "t.csv:2");
  ASSERT_EQ(list.rejected.size(), 1U);
  EXPECT_EQ(list.rejected[0].where, "t.csv:3:1");
}

TEST(TunableOp, WhatIsNotReadSaysWhy) {
  for (const auto* line :
       {"", "GemmTunableOp_BFloat16_TN", "GemmTunableOp_BFloat16_TN,tn_256", "GemmTunableOp_Int_TN,tn_1_2_3_ld_3_3_1",
        "GemmTunableOp_BFloat16_TN,xx_256_37_64_ld_64_64_256", "GemmTunableOp_BFloat16_TN,tn_256_37_64",
        "GemmTunableOp_BFloat16_TN,tn_0_37_64_ld_64_64_256", "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_1_64_256"})
    EXPECT_THROW((void)tunable_op_problem(line), Error) << line;
}

}  // namespace
}  // namespace gemmtune
