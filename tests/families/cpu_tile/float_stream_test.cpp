// Tests every shape of the streaming kernels, as float_tile_test.cpp tests every tile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/float_stream_gemm.h"
#include "tests/families/cpu_tile/float_run.h"

namespace gemmtune {
namespace {

using cpu_tile::FloatKernels;
using cpu_tile::StreamShape;

constexpr std::uint64_t seed = 1127;

class FloatStream : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = why_skipped(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }

  const FloatKernels& kernels() const { return cpu_tile::float_kernels(GetParam()); }

  std::vector<StreamShape> shapes() const {
    std::vector<StreamShape> found;
    for (const std::int64_t rows : {1, 2, 4, 8}) {
      for (const std::int64_t columns : {1, 2, 4}) {
        for (const std::int64_t unroll : {1, 2, 4}) {
          const StreamShape shape{rows, columns, unroll};
          if (kernels().stream(cpu_tile::Source::f32, shape) != nullptr) found.push_back(shape);
        }
      }
    }
    return found;
  }

  void check(const FloatRun& run, const Problem& problem, const StreamShape& shape, std::int64_t threads) const {
    const auto gemm = make_stream_gemm(problem, kernels(), shape, threads);
    EXPECT_EQ(run.why_wrong(*gemm), "") << fmt::format("{} m{} n{} u{} t{}", GetParam(), shape.rows, shape.columns,
                                                       shape.unroll, threads);
  }
};

TEST_P(FloatStream, EveryShapeOnEveryTailOfK) {
  ASSERT_EQ(shapes().size(), 14U);
  for (const StreamShape& shape : shapes()) {
    for (std::int64_t k = 1; k <= 33; ++k) {
      for (const std::int64_t longer : {0, 128}) {
        const Problem problem{
            .m = shape.rows + 1, .n = 7, .k = k + longer, .a = {DType::bf16}, .w = {DType::bf16}, .out = DType::f32};
        check(FloatRun(problem, Recipe::gaussian, seed + k), problem, shape, 1);
      }
    }
  }
}

std::vector<Problem> problems_of_every_type() {
  std::vector<Problem> problems;
  for (const DType type : {DType::f32, DType::bf16, DType::f16, DType::e4m3, DType::e4m3fnuz}) {
    problems.push_back({.m = 3,
                        .n = 35,
                        .k = 77,
                        .batch = 2,
                        .a = {type},
                        .w = {type},
                        .out = DType::f16,
                        .epilogue = {.bias = true}});
  }
  for (const DType type : {DType::f16, DType::e4m3, DType::e4m3fnuz, DType::i8}) {
    const Side a{type, Scaling::block_1x128};
    const Side w{type, Scaling::block_128x128};
    problems.push_back({.m = 5, .n = 150, .k = 300, .batch = 3, .a = a, .w = w, .out = DType::bf16});
    problems.push_back({.m = 16, .n = 33, .k = 90, .a = a, .w = {type, Scaling::tensor}, .out = DType::f32});
    problems.push_back({.m = 5, .n = 21, .k = 60, .a = {DType::bf16}, .w = {type, Scaling::row}, .out = DType::f32});
  }
  return problems;
}

TEST_P(FloatStream, EveryTypeAndScaling) {
  for (const Problem& problem : problems_of_every_type()) {
    const FloatRun run(problem, Recipe::gaussian, seed);
    for (const StreamShape& shape : shapes()) {
      for (const std::int64_t threads : {1, 3}) check(run, problem, shape, threads);
    }
  }
}

TEST_P(FloatStream, NanScalesComeOutNan) {
  const Problem problem{.m = 2,
                        .n = 140,
                        .k = 200,
                        .a = {DType::e4m3, Scaling::block_1x128},
                        .w = {DType::e4m3, Scaling::block_128x128},
                        .out = DType::f32};
  FloatRun run(problem, Recipe::gaussian, seed);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(run.host().a_scale.data() + sizeof nan, &nan, sizeof nan);      // row 0, second block of K
  std::memcpy(run.host().w_scale.data() + 2 * sizeof nan, &nan, sizeof nan);  // columns from 128 on, first block
  run.update_reference();
  for (const StreamShape& shape : shapes()) check(run, problem, shape, 1);
}

INSTANTIATE_TEST_SUITE_P(Isas, FloatStream, testing::Values("avx512", "avx2", "portable"),
                         [](const auto& isa) { return isa.param; });

}  // namespace
}  // namespace gemmtune
