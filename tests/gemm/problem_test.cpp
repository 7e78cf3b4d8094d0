#include "gemmtune/gemm/problem.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/format.h"
#include "gemmtune/gemm/operands.h"

namespace gemmtune {
namespace {

std::string parse_failure(std::string_view text) {
  try {
    return "parsed as " + to_string(parse_problem(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
}

TEST(Problem, CanonicalTextSaysEverything) {
  EXPECT_EQ(to_string(parse_problem("64x4096x512:a16w16")), "64x4096x512:bf16:bf16:bf16");
  EXPECT_EQ(to_string(parse_problem("64x4096x512:a4w4")), "64x4096x512:e2m1/1x32:e2m1/1x32:bf16:packed");
  EXPECT_EQ(to_string(parse_problem("64x4096x512:a4w4:plain:out=fp32")), "64x4096x512:e2m1/1x32:e2m1/1x32:f32");
  EXPECT_EQ(to_string(parse_problem("16x512x7168:batched_a8w8:batch=16:bias")),
            "16x512x7168:int8/row:int8/row:bf16:batch=16:bias");
  EXPECT_EQ(to_string(parse_problem("1x2x3:a8w8_blockscale")), "1x2x3:e4m3/1x128:e4m3/128x128:bf16");
  EXPECT_EQ(to_string(parse_problem("1x2x4:a16w4")), "1x2x4:bf16:e2m1/1x32:bf16:packed");
  EXPECT_EQ(to_string(parse_problem("1x2x4:a8w4:out=f32")), "1x2x4:bf16/q8:e2m1/1x32:f32:packed");
  EXPECT_EQ(to_string(parse_problem("1x2x4:a16w4_nvfp4")), "1x2x4:bf16:e2m1/1x16:bf16:packed");
  EXPECT_EQ(to_string(parse_problem("1x2x4:a8w4_nvfp4")), "1x2x4:bf16/q8:e2m1/1x16:bf16:packed");
  EXPECT_EQ(to_string(parse_problem("1x2x4:a8wq4:plain")), "1x2x4:bf16/q8:int4/1x32f16:bf16");
  EXPECT_EQ(to_string(parse_problem("1x2x3:a8wq8")), "1x2x3:bf16/q8:int8/1x32f16:bf16:packed");
  EXPECT_EQ(to_string(parse_problem("1x2x3:a16w8_blockscale")), "1x2x3:bf16/fp8_1x128:e4m3/128x128:bf16");
  EXPECT_EQ(to_string(parse_problem("1x2x3:a16w8:packed")), "1x2x3:bf16/fp8_row:e4m3/row:bf16:packed");
  EXPECT_EQ(to_string(parse_problem("1x2x4:a16w4_fp8")), "1x2x4:bf16/fp8_row:e2m1/1x32:bf16:packed");
  EXPECT_EQ(to_string(parse_problem("1x2x4:fp32/FP8_1x128:fp8/128X128:float")), "1x2x4:f32/fp8_1x128:e4m3/128x128:f32");
  EXPECT_EQ(to_string(parse_problem("1x2x3:fp8/1X128E8M0:fp8/128x128e8m0:bf16")),
            "1x2x3:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16");
  EXPECT_EQ(to_string(parse_problem("1x2x4:fp32/Q8:torch.int4/1X32F16:float")), "1x2x4:f32/q8:int4/1x32f16:f32");
  EXPECT_EQ(to_string(parse_problem("1x2x3:torch.float8_e4m3fn/tensor:fp8/row:half")),
            "1x2x3:e4m3/tensor:e4m3/row:f16");
}

TEST(Problem, SaysWhatWasFoundWhereAndWhatWasExpected) {
  EXPECT_EQ(parse_failure("64x4096:a4w4"),
            "problem '64x4096:a4w4', column 1: found '64x4096', expected sizes as MxNxK");
  EXPECT_EQ(parse_failure("0x1x1:a4w4"),
            "problem '0x1x1:a4w4', column 1: found '0x1x1', expected a size from 1 to 2147483648");
  EXPECT_EQ(parse_failure("1x1x1:bf16:bf16"),
            "problem '1x1x1:bf16:bf16', column 16: found the end, expected the output's type");
  EXPECT_EQ(
      parse_failure("1x1x2:bf16:bf17:bf16"),
      "problem '1x1x2:bf16:bf17:bf16', column 12: found 'bf17', expected a type (f32, f16, bf16, e4m3, int8, e2m1, …) "
      "or a format (a16w16, a8w8, a4w4, …)");
  EXPECT_EQ(
      parse_failure("1x1x2:a4w4:fast"),
      "problem '1x1x2:a4w4:fast', column 12: found 'fast', expected batch=B, nn, nt, tn, tt, lda=, ldw=, ldc=, "
      "stride_a=, stride_w=, stride_c=, bias, relu, gelu_tanh, gelu_erf, silu, residual, packed, plain or out=TYPE");
  EXPECT_EQ(parse_failure("1x1x2:a16w16:lda=0"),
            "problem '1x1x2:a16w16:lda=0', column 14: found 'lda=0', expected a number of elements from 1 to 2^53");
  EXPECT_EQ(parse_failure("1x1x3:a4w4"), "problem '1x1x3:a4w4': K = 3 must be even: two e2m1 share a byte");
  EXPECT_EQ(parse_failure(""), "problem '', column 1: found '', expected sizes and types, as 64x4096x4096:a4w4");
}

TEST(Problem, RefusesWhatNobodyCanRun) {
  for (const auto* text : {"1x1x2:e2m1:e2m1/1x32:bf16",
                           "1x1x2:bf16/1x32:bf16:bf16",
                           "1x1x2:int8/1x32:int8/row:bf16",
                           "1x1x2:e4m3fnuz/1x32:e4m3fnuz/1x32:bf16",
                           "1x1x2:e4m3/32x32:e4m3/32x32:bf16",
                           "1x1x2:e2m1/1x32:e2m1/32x32:bf16",
                           "1x1x2:e4m3/1x16:e4m3/1x16:bf16",
                           "1x1x2:e8m0:bf16:bf16",
                           "1x1x2:bf16:bf16:int8",
                           "1x1x2:tf32:tf32:tf32",
                           "4x4x8:a16w16:lda=7",
                           "4x4x8:a16w16:tt:lda=3",
                           "4x4x8:a16w16:ldc=3",
                           "4x4x8:a16w16:batch=2:lda=16:stride_a=55",
                           "4x4x8:a4w4:lda=9",
                           "4x4x8:a4w4:nn",
                           "4x4x8:a4w4:tt",
                           "2147483648x4x8:a16w16:lda=9007199254740992",
                           "4x4x8:a16w16:batch=2147483648:stride_w=9007199254740992",
                           "1x1x2:bf16:int4:bf16",
                           "1x1x2:bf16:int4/row:bf16",
                           "1x1x2:int4/1x32f16:int4/1x32f16:bf16",
                           "1x1x2:bf16:bf16/1x32f16:bf16",
                           "1x1x2:bf16:int8/1x16:bf16",
                           "1x1x2:bf16:bf16/q8:bf16",
                           "1x1x2:int8/q8:bf16:bf16",
                           "1x1x2:tf32/q8:bf16:bf16",
                           "1x1x3:a8wq4",
                           "4x4x8:a8wq4:nn",
                           "4x4x8:a8wq4:ldw=9",
                           "1x1x2:e4m3/128x128:e4m3/128x128:bf16",
                           "2147483648x2147483648x2147483648:a16w16"})
    EXPECT_THROW(parse_problem(text), Error) << text;
}

/// Each distance is that of a contiguous tensor or a little more.
Layout random_layout(Problem problem, std::mt19937_64& random) {
  problem.layout = {.a = static_cast<Major>(random() % 2), .w = static_cast<Major>(random() % 2)};
  const auto more = [&] { return static_cast<std::int64_t>(random() % 3) * 8; };
  const auto strides = [&](const StoredMatrix& matrix) {
    const std::int64_t leading = matrix.cols + more();
    return Strides{.leading_dimension = leading, .batch = matrix.rows * leading + more()};
  };
  problem.layout.a_strides = strides(stored_a(problem));
  problem.layout.w_strides = strides(stored_w(problem));
  problem.layout.c_strides = strides(stored_c(problem));
  return canonical_layout(problem);
}

Problem random_problem(std::mt19937_64& random) {
  const auto& formats = all_formats();
  Problem problem = format_defaults(formats[random() % formats.size()]);
  problem.m = 1 + static_cast<std::int64_t>(random() % 100'000);
  problem.n = 1 + static_cast<std::int64_t>(random() % 100'000);
  problem.k = 2 * (1 + static_cast<std::int64_t>(random() % 50'000));
  problem.batch = 1 + static_cast<std::int64_t>(random() % 3);
  problem.epilogue.bias = random() % 2 == 0;
  problem.epilogue.activation = static_cast<Activation>(random() % 5);
  problem.epilogue.residual = random() % 2 == 0;
  problem.packed = random() % 2 == 0;
  problem.out = std::array{DType::bf16, DType::f16, DType::f32}[random() % 3];
  if (!is_4bit(problem.a.type) && !is_4bit(problem.w.type)) problem.layout = random_layout(problem, random);
  return problem;
}

TEST(Problem, TextParsesBackToTheSameProblem) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 5000; ++i) {
    const auto problem = random_problem(random);
    ASSERT_EQ(parse_problem(to_string(problem)), problem) << to_string(problem);
  }
}

TEST(Problem, TextIsAnIdentity) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 5000; ++i) {
    const auto a = random_problem(random);
    const auto b = random_problem(random);
    ASSERT_EQ(a == b, to_string(a) == to_string(b)) << to_string(a) << ' ' << to_string(b);
  }
}

// A row of AITER's shipped table: gfx950,256,1,512,4096,21,0,5.4049 -> 0.78 TFLOPS, 194.57 GB/s.
TEST(Problem, SpeedColumnsAreAiters) {
  const auto problem = parse_problem("1x512x4096:a4w4");
  EXPECT_NEAR(tflops(problem, 5.4049), 0.78, 0.005);
  EXPECT_NEAR(bandwidth_gbps(problem, 5.4049), 194.57, 0.005);
  EXPECT_EQ(tflops(problem, 0), 0);
  EXPECT_EQ(bandwidth_gbps(problem, std::numeric_limits<double>::infinity()), 0);
}

TEST(Problem, BytesCountWhatTheyClaim) {
  const auto problem = parse_problem("3x5x64:a4w4:batch=2:bias");
  EXPECT_EQ(operand_bytes(problem), 2 * (3 * 32 + 5 * 32 + 3 * 5 * 2));
  const OperandBytes sizes{
      .a = 2 * 3 * 32, .a_scale = 2 * 3 * 2, .w = 2 * 5 * 32, .w_scale = 2 * 5 * 2, .bias = 10, .c = 60};
  EXPECT_EQ(operand_sizes(problem), sizes);
  EXPECT_EQ(moved_bytes(problem), static_cast<double>(sizes.total()));
  EXPECT_EQ(flops(problem), 2.0 * 3 * 5 * 64 * 2);
}

TEST(Problem, GapsCountAsBytesOfTheTensorAndNotAsBytesMoved) {
  const auto problem = parse_problem("3x5x8:bf16:bf16:f32:batch=2:tn:lda=4:ldw=7:stride_w=60:ldc=6:residual");
  const OperandBytes sizes{
      .a = 2 * (32 + 28 + 3), .w = 2 * (60 + 49 + 5), .residual = 4 * (18 + 12 + 5), .c = 4 * (18 + 12 + 5)};
  EXPECT_EQ(operand_sizes(problem), sizes);
  EXPECT_EQ(moved_bytes(problem), 2 * (2 * (3 * 8 + 5 * 8) + 4 * (15 + 15)));
}

TEST(Problem, DistancesOfContiguousTensorsSayNothing) {
  EXPECT_EQ(to_string(parse_problem("3x5x8:a16w16:nt:lda=8:ldw=8:ldc=5:stride_a=24")), "3x5x8:bf16:bf16:bf16");
  EXPECT_EQ(to_string(parse_problem("3x5x8:a16w16:batch=2:nn:ldw=5:stride_w=40:stride_c=15")),
            "3x5x8:bf16:bf16:bf16:batch=2:nn");
  EXPECT_EQ(to_string(parse_problem("3x5x8:a16w16:stride_a=999")), "3x5x8:bf16:bf16:bf16")
      << "one matrix has no stride";
  EXPECT_EQ(to_string(parse_problem("3x5x8:a16w16:packed:residual:silu:bias:ldc=6:tt:batch=2")),
            "3x5x8:bf16:bf16:bf16:batch=2:tt:ldc=6:bias:silu:residual:packed");
}

TEST(Problem, BlockScalesCoverTheEdges) {
  const auto sizes = operand_sizes(parse_problem("3x130x257:a8w8_blockscale"));
  EXPECT_EQ(sizes.a_scale, 3 * 3 * 4);
  EXPECT_EQ(sizes.w_scale, 2 * 3 * 4);
}

}  // namespace
}  // namespace gemmtune
