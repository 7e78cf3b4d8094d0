// Lines as PyTorch 2.15 composes them (GemmCommon.h of its wheel for CUDA).
#include "gemmtune/exchange/tunable_op.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::string problem_of(std::string_view line) { return to_string(tunable_op_call(line).problem); }

std::string line_of(std::string_view problem, TorchBuild build = TorchBuild::cuda) {
  const auto key = tunable_op_key({.problem = parse_problem(problem)}, build);
  return key.operation + ',' + key.parameters;
}

constexpr const char* scaled_line =
    "ScaledGemmTunableOp_Float8_e4m3fn_Float8_e4m3fn_BFloat16_TN,"
    "tn_256_37_7168_ld_7168_7168_256_a_Float8_e4m3fn_b_Float8_e4m3fn_c_BFloat16_as_Float_bs_Float_"
    "ast_5_bst_4_dscale_0_fast_0_bias_BFloat16";

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
  // The first scaling is that of BLAS's first matrix, the weights.
  EXPECT_EQ(problem_of(scaled_line), "37x256x7168:e4m3/1x128:e4m3/128x128:bf16:bias");
}

TEST(TunableOp, FastAccumulationIsSaidByScaledProducts) {
  EXPECT_FALSE(tunable_op_call(scaled_line).fast_accumulation);
  std::string fast = scaled_line;
  fast.replace(fast.find("fast_0"), 6, "fast_1");
  EXPECT_TRUE(tunable_op_call(fast).fast_accumulation);
  EXPECT_EQ(tunable_op_key(tunable_op_call(fast), TorchBuild::cuda).parameters, fast.substr(fast.find(',') + 1));
}

/// PyTorch on ROCm, and older versions, say only whether the scales are of rows.
TEST(TunableOp, ScalesOnRocm) {
  const std::string start =
      "ScaledGemmTunableOp_Float8_e4m3fnuz_Float8_e4m3fnuz_BFloat16_TN,tn_1280_16_8192_ld_8192_8192_1280_rw_";
  EXPECT_EQ(problem_of(start + "1_bias_None,Gemm_Hipblaslt_TN_12,0.017"),
            "16x1280x8192:e4m3fnuz/row:e4m3fnuz/row:bf16");
  EXPECT_EQ(problem_of(start + "0_bias_None"), "16x1280x8192:e4m3fnuz/tensor:e4m3fnuz/tensor:bf16");
  EXPECT_EQ(line_of("16x1280x8192:e4m3fnuz/row:e4m3fnuz/row:bf16", TorchBuild::rocm), start + "1_bias_None");
}

TEST(TunableOp, KeysAreThoseThatLinesHave) {
  for (const std::string line :
       {"GemmTunableOp_BFloat16_TN,tn_256_37_7168_ld_7168_7168_256", "GemmTunableOp_Half_NN,nn_256_37_64_ld_256_64_256",
        "GemmTunableOp_float_TN,tn_256_37_64_ld_64_128_512", "GemmTunableOp_tf32_NT,nt_256_37_64_ld_256_37_256",
        "GemmAndBiasTunableOp_BFloat16_TN,tn_256_37_64_ld_64_64_256",
        "GemmStridedBatchedTunableOp_BFloat16_NN,nn_256_37_64_B_16_ld_256_64_256", scaled_line}) {
    const auto call = tunable_op_call(line);
    EXPECT_EQ(why_no_tunable_op(call.problem), "") << line;
    EXPECT_EQ(line_of(to_string(call.problem)), line);
  }
}

TEST(TunableOp, WhatPyTorchNeverAsksFor) {
  for (const auto* problem : {"4x64x64:bf16:bf16:f32", "4x64x64:int8/row:int8/row:bf16", "4x64x64:bf16:bf16:bf16:relu",
                              "4x64x64:bf16:bf16:bf16:residual", "4x64x64:e4m3/row:e4m3/row:bf16:batch=2",
                              "4x1x64:bf16:bf16:bf16", "4x64x64:bf16:bf16:bf16:batch=2:bias",
                              "4x64x64:e2m1/1x32:e2m1/1x32:bf16", "4x64x64:e4m3/row:e4m3/row:bf16:packed"})
    EXPECT_NE(why_no_tunable_op(parse_problem(problem)), "") << problem;
}

TEST(TunableOp, WhatIsNotReadSaysWhy) {
  for (const auto* line :
       {"", "GemmTunableOp_BFloat16_TN", "GemmTunableOp_BFloat16_TN,tn_256", "GemmTunableOp_Int_TN,tn_1_2_3_ld_3_3_1",
        "GemmTunableOp_BFloat16_TN,xx_256_37_64_ld_64_64_256", "GemmTunableOp_BFloat16_TN,tn_256_37_64",
        "GemmTunableOp_BFloat16_TN,tn_0_37_64_ld_64_64_256", "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_1_64_256",
        "GemmTunableOp_BFloat16_TN,tn_256_*_64_ld_64_64_256",
        "GemmTunableOp_BFloat16_TN,tn_9000000000000000000_37_64_ld_64_64_256",
        "GemmTunableOp_BFloat16_TN,tn_256_37_64_ld_9000000000000000000_64_256",
        "GemmStridedBatchedTunableOp_BFloat16_NN,nn_256_37_64_B_0_ld_256_64_256"})
    EXPECT_THROW((void)tunable_op_call(line), Error) << line;
}

}  // namespace
}  // namespace gemmtune
