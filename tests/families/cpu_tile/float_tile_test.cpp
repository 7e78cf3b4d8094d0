// Tests every tile of every instruction set that this CPU has, on shapes that are awkward for the tile. Instruction
// sets that the CPU lacks are skipped with the reason: the same program covers more on another CPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/float_tile_gemm.h"
#include "tests/families/cpu_tile/float_run.h"

namespace gemmtune {
namespace {

using cpu_tile::FloatKernels;
using cpu_tile::TileChoice;
using cpu_tile::Weights;

constexpr std::uint64_t seed = 20261127;

class FloatTile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = why_skipped(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }

  const FloatKernels& kernels() const { return cpu_tile::float_kernels(GetParam()); }

  bool multiplies(const Problem& problem) const { return !kernels().pairs || cpu_tile::multiplies_pairs(problem); }

  /// Checks both ways to read the weights: directly and from panels.
  void check(const FloatRun& run, const Problem& problem, const TileChoice& choice) const {
    for (const Weights weights : {Weights::direct, Weights::panel}) {
      const auto gemm = make_tile_gemm(problem, kernels(), choice, weights);
      EXPECT_EQ(run.why_wrong(*gemm), "")
          << fmt::format("{} m{} n{} kc{} nc{} t{} {}", GetParam(), choice.rows, choice.vectors, choice.k_block,
                         choice.n_block, choice.threads, weights == Weights::direct ? "direct" : "panel");
    }
  }
};

Problem bf16_problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.m = m, .n = n, .k = k, .a = {DType::bf16}, .w = {DType::bf16}, .out = DType::f32};
}

TEST_P(FloatTile, EveryTileIsRightWhereItFitsAndAtItsEdges) {
  for (const std::int64_t vectors : {1, 2, 3, 4}) {
    const std::int64_t most = kernels().most_rows(vectors);
    for (std::int64_t rows = 1; rows <= most; ++rows) {
      const Problem problem = bf16_problem(2 * rows + 1, vectors * kernels().width * 2 + 3, 71);
      const FloatRun run(problem, Recipe::gaussian, seed);
      check(run, problem, {.rows = rows, .vectors = vectors, .k_block = 64, .n_block = 1, .threads = 2});
    }
  }
}

TEST_P(FloatTile, EveryNumberOfRows) {
  for (std::int64_t m = 1; m <= 33; ++m) {
    const Problem problem = bf16_problem(m, 37, 45);
    const TileChoice choice{.rows = kernels().most_rows(2), .vectors = 2, .k_block = 256, .n_block = 64, .threads = 1};
    check(FloatRun(problem, Recipe::gaussian, seed + m), problem, choice);
  }
}

TEST_P(FloatTile, EveryTailOfK) {
  for (std::int64_t k = 1; k <= 34; ++k) {
    for (const std::int64_t longer : {0, 64}) {
      const Problem problem = bf16_problem(5, 19, k + longer);
      const TileChoice choice{.rows = kernels().most_rows(1), .vectors = 1, .k_block = 32, .n_block = 64, .threads = 1};
      check(FloatRun(problem, Recipe::gaussian, seed + k), problem, choice);
    }
  }
}

TEST_P(FloatTile, EveryCutIntoBlocksAndThreads) {
  Problem problem = bf16_problem(67, 150, 200);
  problem.batch = 2;
  const FloatRun run(problem, Recipe::gaussian, seed);
  for (const std::int64_t k_block : {32, 96, 224}) {
    for (const std::int64_t n_block : {1, 64, 1000}) {
      for (const std::int64_t threads : {1, 2, 3, 8}) {
        check(
            run, problem,
            {.rows = kernels().most_rows(2), .vectors = 2, .k_block = k_block, .n_block = n_block, .threads = threads});
      }
    }
  }
}

std::vector<Problem> problems_of_every_type() {
  std::vector<Problem> problems;
  for (const DType type : {DType::f32, DType::bf16, DType::f16}) {
    problems.push_back(
        {.m = 9, .n = 35, .k = 77, .batch = 2, .a = {type}, .w = {type}, .out = type, .epilogue = {.bias = true}});
    problems.push_back({.m = 3, .n = 35, .k = 77, .a = {DType::f32}, .w = {type}, .out = DType::bf16});
  }
  for (const DType type : {DType::e4m3, DType::e4m3fnuz}) {
    for (const Scaling scaling : {Scaling::none, Scaling::tensor, Scaling::row}) {
      problems.push_back(
          {.m = 7, .n = 41, .k = 70, .batch = 2, .a = {type, scaling}, .w = {type, scaling}, .out = DType::f16});
    }
    problems.push_back({.m = 7,
                        .n = 150,
                        .k = 300,
                        .batch = 2,
                        .a = {type, Scaling::block_1x128},
                        .w = {type, Scaling::block_128x128},
                        .out = DType::bf16,
                        .epilogue = {.bias = true}});
  }
  problems.push_back({.m = 5, .n = 21, .k = 60, .a = {DType::bf16}, .w = {DType::i8, Scaling::row}, .out = DType::f32});
  return problems;
}

TEST_P(FloatTile, EveryTypeAndScaling) {
  for (const Problem& problem : problems_of_every_type()) {
    if (!multiplies(problem)) continue;
    const FloatRun run(problem, Recipe::gaussian, seed);
    for (const std::int64_t vectors : {1, 2}) {
      const TileChoice choice{.rows = std::min<std::int64_t>(4, kernels().most_rows(vectors)),
                              .vectors = vectors,
                              .k_block = 96,
                              .n_block = 64,
                              .threads = 2};
      check(run, problem, choice);
    }
  }
}

TEST_P(FloatTile, HardOperands) {
  Problem problem = bf16_problem(13, 40, 513);
  for (const Recipe recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks}) {
    const FloatRun run(problem, recipe, seed);
    check(run, problem, {.rows = 4, .vectors = 2, .k_block = 128, .n_block = 64, .threads = 1});
  }
}

TEST_P(FloatTile, NanScalesAndNanElementsComeOutNan) {
  Problem problem{.m = 5,
                  .n = 140,
                  .k = 200,
                  .a = {DType::e4m3, Scaling::block_1x128},
                  .w = {DType::e4m3, Scaling::block_128x128},
                  .out = DType::bf16};
  if (!multiplies(problem)) GTEST_SKIP() << GetParam() << " multiplies bf16 only";
  FloatRun run(problem, Recipe::gaussian, seed);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(run.host().a_scale.data() + 3 * sizeof nan, &nan, sizeof nan);  // row 1, second block of K
  std::memcpy(run.host().w_scale.data() + 2 * sizeof nan, &nan, sizeof nan);  // columns from 128 on, first block
  run.host().w[7 * 200 + 199] = std::byte{0xff};                              // column 7, last k
  run.update_reference();
  check(run, problem, {.rows = 4, .vectors = 2, .k_block = 128, .n_block = 64, .threads = 1});
}

TEST_P(FloatTile, EveryByteOfFp8IsDecoded) {
  for (const DType type : {DType::e4m3, DType::e4m3fnuz}) {
    const Problem problem{.m = 1, .n = 256, .k = 1, .a = {DType::f32}, .w = {type}, .out = DType::f32};
    if (!multiplies(problem)) GTEST_SKIP() << GetParam() << " multiplies bf16 only";
    FloatRun run(problem, Recipe::gaussian, seed);
    for (int i = 0; i < 256; ++i) run.host().w[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
    run.update_reference();
    check(run, problem, {.rows = 1, .vectors = 2, .k_block = 32, .n_block = 64, .threads = 1});
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, FloatTile, testing::ValuesIn(cpu_tile::float_isas()),
                         [](const auto& isa) { return isa.param; });

}  // namespace
}  // namespace gemmtune
