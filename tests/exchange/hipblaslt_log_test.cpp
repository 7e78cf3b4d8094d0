#include "gemmtune/exchange/hipblaslt_log.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::string problem_of(const std::string& options) {
  return to_string(hipblaslt_bench_problem("hipblaslt-bench " + options));
}

const std::string types = " --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --compute_type f32_r";

TEST(HipblasltLog, SizesAndTransposes) {
  EXPECT_EQ(problem_of("-m 1280 -n 16 -k 8192 --lda 8192 --transA T --transB N" + types),
            "16x1280x8192:bf16:bf16:bf16");
  EXPECT_EQ(problem_of("--sizem 64 --sizen 8 --sizek 96" + types), "8x64x96:bf16:bf16:bf16:nn");
}

TEST(HipblasltLog, FlagsHaveNoValue) {
  EXPECT_EQ(problem_of("-m 64 -n 8 -k 96 --transA T --bias_vector --bias_source d --activation_type swish" + types),
            "8x64x96:bf16:bf16:bf16:bias:silu");
  EXPECT_EQ(problem_of("-m 64 -n 8 -k 96 --transA T --beta 1.000000" + types), "8x64x96:bf16:bf16:bf16:residual");
}

TEST(HipblasltLog, Batches) {
  const std::string strides = " --stride_a 6144 --stride_b 768 --stride_c 512 --stride_d 512";
  EXPECT_EQ(problem_of("-m 64 -n 8 -k 96 --transA T --batch_count 4" + strides + types),
            "8x64x96:bf16:bf16:bf16:batch=4");
  EXPECT_THROW((void)problem_of("-m 64 -n 8 -k 96 --transA T --batch_count 4 --stride_a 0 --stride_b 768" + types),
               Error);
}

TEST(HipblasltLog, WhatIsNotKnownSaysWhy) {
  for (const std::string options : {"-m 64 -n 8", "-m 64 -n 8 -k 96 --transA C", "-m 64 -n 8 -k 96 --beta 0.5",
                                    "-m 64 -n 8 -k 96 --grouped_gemm", "-m 64 -n 8 -k 96 --scaleA 7"})
    EXPECT_THROW((void)problem_of(options + types), Error) << options;
  EXPECT_THROW((void)problem_of("-m 64 -n 8 -k 96 --a_type f6_r --b_type f6_r --d_type bf16_r"), Error);
}

}  // namespace
}  // namespace gemmtune
