#include "gemmtune/verify/row_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "gemmtune/verify/sampled_columns.h"
#include "naive.h"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 11;
constexpr VerifyPolicy one_block{.full_reference_flops = 1};
constexpr VerifyPolicy all_blocks{};

const std::vector<std::string> types{"f32:f32:f32",
                                     "bf16:bf16:bf16:bias",
                                     "bf16:bf16:f32:bias:residual",
                                     "f16:f16:f16",
                                     "int8/row:int8/row:bf16",
                                     "e4m3/row:e4m3/row:bf16",
                                     "a8w8_blockscale",
                                     "e4m3/tensor:e4m3/tensor:fp16:residual",
                                     "a4w4",
                                     "mxfp8",
                                     "e4m3/1x128e8m0:e4m3/128x128e8m0:bf16",
                                     "bf16/fp8_1x128:e4m3/128x128:bf16",
                                     "f16/fp8_row:e4m3/row:f32",
                                     "a16w4_fp8",
                                     "e4m3/1x32:e4m3/32x32:f32",
                                     "bf16:e2m1/1x32:bf16"};
constexpr auto recipes = {Recipe::gaussian,   Recipe::one_sign,  Recipe::wide_exponents, Recipe::zero_blocks,
                          Recipe::nan_scales, Recipe::wide_rows, Recipe::nan_inf};

/// A right C and the sums that its rows should have.
struct Trial {
  Problem problem{};
  HostOperands operands{};
  VerifyPolicy policy{};
  RowSums expected{};
  std::vector<float> c{};

  Trial(const std::string& text, Recipe recipe, const VerifyPolicy& verify = all_blocks)
      : problem(parse_problem(text)),
        operands(draw_operands(problem, recipe, seed)),
        policy(verify),
        expected(compute_row_sums(problem, operands_of(operands), policy, seed)),
        c(naive::multiply<float>(problem, naive::real_operands(problem, operands), problem.k)) {}

  SumVerdict judge() const { return judge(c); }
  SumVerdict judge(const std::vector<float>& output) const {
    return compare_row_sums(problem, expected, naive::rounded(problem, output), policy);
  }

  /// With what a fault makes of each element, by row (over all batches) and column.
  SumVerdict judge_with(const std::function<void(std::int64_t, std::int64_t, float&)>& fault) const {
    auto wrong = c;
    for (std::int64_t i = 0; i < std::ssize(wrong); ++i) fault(i / problem.n, i % problem.n, wrong[i]);
    return judge(wrong);
  }
};

TEST(RowSums, RightOutputsTakeAThirdOfTheBoundAtMost) {
  for (const auto& type : types)
    for (const Recipe recipe : recipes)
      for (const auto* sizes : {"70x300x96", "3x1x32", "5x1030x640"}) {
        const Trial trial(fmt::format("{}:{}", sizes, type), recipe);
        const auto verdict = trial.judge();
        EXPECT_EQ(verdict.why_wrong, "") << to_string(trial.problem) << ' ' << to_string(recipe);
        EXPECT_LE(verdict.worst_share_of_bound, 0.34) << to_string(trial.problem) << ' ' << to_string(recipe);
      }
}

TEST(RowSums, BatchesHaveTheirOwn) {
  for (const Recipe recipe : recipes) {
    const Trial trial("33x70x64:bf16:bf16:f32:batch=3:bias:residual", recipe);
    EXPECT_EQ(trial.judge().why_wrong, "") << to_string(recipe);
  }
  const auto verdict =
      Trial("33x70x64:bf16:bf16:f32:batch=3:bias", Recipe::gaussian)
          .judge_with([](std::int64_t row, std::int64_t, float& value) { value = row == 38 ? 0 : value; });
  EXPECT_NE(verdict.why_wrong.find("C[1, 5, 0 to 69]"), std::string::npos) << verdict.why_wrong;
}

TEST(RowSums, AZeroRowIsFoundInAnyRow) {
  for (const auto& type : types)
    for (const auto& policy : {one_block, all_blocks}) {
      const Trial trial(fmt::format("40x300x96:{}", type), Recipe::gaussian, policy);
      for (const std::int64_t zero : {0, 5, 38}) {
        const auto verdict =
            trial.judge_with([=](std::int64_t row, std::int64_t, float& value) { value = row == zero ? 0 : value; });
        EXPECT_NE(verdict.why_wrong.find(fmt::format("all lie in rows {} to {}", zero, zero)), std::string::npos)
            << type << ' ' << zero << ": " << verdict.why_wrong;
        EXPECT_GT(verdict.worst_share_of_bound, 1);
      }
    }
}

/// 64 of 1024 columns in 32 rows, of which some are likely to show it.
TEST(RowSums, AZeroHalfTileIsFoundAmongAllColumns) {
  for (const auto& type : types) {
    const Trial trial(fmt::format("128x1024x96:{}", type), Recipe::gaussian, one_block);
    ASSERT_EQ(trial.expected.blocks.count, 1);
    const auto verdict = trial.judge_with([](std::int64_t row, std::int64_t column, float& value) {
      if (row >= 32 && row < 64 && column >= 192 && column < 256) value = 0;
    });
    EXPECT_NE(verdict.why_wrong, "") << type;
  }
}

TEST(RowSums, RowsThatWereSwappedOrTakenFromAnotherAreFound) {
  for (const auto& type : types) {
    const Trial trial(fmt::format("40x300x96:{}", type), Recipe::gaussian);
    auto swapped = trial.c;
    std::swap_ranges(swapped.begin() + 300 * 7, swapped.begin() + 300 * 8, swapped.begin() + 300 * 8);
    EXPECT_NE(trial.judge(swapped).why_wrong, "") << type;
  }
}

TEST(RowSums, OneElementIsFoundWhereOutputsAreFloats) {
  const Trial trial("40x300x96:f32:f32:f32", Recipe::gaussian);
  const auto verdict = trial.judge_with([](std::int64_t row, std::int64_t column, float& value) {
    if (row == 5 && column == 299) value += 0.01F;
  });
  EXPECT_NE(verdict.why_wrong.find("C[5, 160 to 299]"), std::string::npos) << verdict.why_wrong;
}

TEST(RowSums, NoElementMayBeLargerThanItsNormsOrOfAnotherKind) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Trial trial("40x300x96:bf16:bf16:bf16", Recipe::gaussian);
  for (const float bad : {1e6F, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    const auto verdict = trial.judge_with([=](std::int64_t row, std::int64_t column, float& value) {
      if (row == 33 && column == 7) value = bad;
    });
    EXPECT_NE(verdict.why_wrong.find("C[33, 0 to 159]: 1 elements"), std::string::npos) << verdict.why_wrong;
    EXPECT_EQ(verdict.worst_share_of_bound, infinity);
  }
}

TEST(RowSums, WhatShouldNotBeFiniteMayNotBeFinite) {
  for (const auto* text : {"70x70x96:f32:f32:f32", "70x70x96:e4m3/row:e4m3/row:bf16"}) {
    const Trial trial(text, Recipe::nan_inf);
    EXPECT_EQ(trial.judge().why_wrong, "");
    const auto verdict = trial.judge_with([](std::int64_t, std::int64_t, float& value) {
      if (!std::isfinite(value)) value = 0;
    });
    EXPECT_NE(verdict.why_wrong, "") << text;
  }
}

TEST(RowSums, OverflowIsRightWhereItMayHappenAndOnlyThere) {
  const Trial trial("40x300x96:bf16:bf16:f16", Recipe::wide_exponents);
  EXPECT_TRUE(std::ranges::any_of(trial.c, [](float value) { return std::fabs(value) > 65520; }));
  EXPECT_EQ(trial.judge().why_wrong, "");
}

TEST(RowSums, OtherSeedsHaveOtherSigns) {
  const auto problem = parse_problem("4x300x64:f32:f32:f32");
  const auto operands = draw_operands(problem, Recipe::gaussian, 1);
  const auto weights = [&](std::uint64_t of) {
    return compute_row_sums(problem, operands_of(operands), all_blocks, of).weights;
  };
  EXPECT_EQ(weights(1), weights(1));
  EXPECT_NE(weights(1), weights(2));
  const auto negative = std::ranges::count_if(weights(1), [](double weight) { return weight < 0; });
  EXPECT_GT(negative, 100);
  EXPECT_LT(negative, 200);
}

TEST(ColumnBlocks, HaveAtMost256ColumnsWhereTheBudgetAllows) {
  const auto problem = parse_problem("64x2100x64:f32:f32:f32");
  EXPECT_EQ(column_blocks(problem, one_block).count, 1);
  const auto blocks = column_blocks(problem, all_blocks);
  EXPECT_EQ(blocks.count, 9);
  EXPECT_GE(blocks.columns * blocks.count, 2100);
  EXPECT_EQ(blocks.columns % 32, 0);
  EXPECT_EQ(column_blocks(parse_problem("16384x16384x32768:f32:f32:f32"), all_blocks).count, 1);
  EXPECT_EQ(column_blocks(parse_problem("1x1x1:f32:f32:f32"), all_blocks).count, 1);
}

TEST(ColumnWeight, MakesColumnsAlikeInSize) {
  for (const double norm : {1e-30, 0.7, 1.0, 3.0, 1e30}) {
    EXPECT_GE(norm * column_weight(1, norm), 1);
    EXPECT_LT(norm * column_weight(1, norm), 2);
    EXPECT_EQ(column_weight(-1, norm), -column_weight(1, norm));
  }
  EXPECT_EQ(column_weight(-1, 0), -1);
  EXPECT_EQ(column_weight(1, std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(column_weight(1, std::numeric_limits<double>::quiet_NaN()), 0);
}

class SampledColumns : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Activations, SampledColumns,
                         testing::Values("f32:f32:f32:relu", "bf16:bf16:bf16:bias:gelu_tanh",
                                         "bf16:bf16:f32:batch=2:bias:silu:residual", "a4w4:gelu_erf:residual"));

TEST_P(SampledColumns, SeeEveryRow) {
  for (const Recipe recipe : recipes) {
    const auto problem = parse_problem(fmt::format("70x100x64:{}", GetParam()));
    const auto operands = draw_operands(problem, recipe, seed);
    const auto columns = compute_columns(problem, operands_of(operands), one_block, seed);
    EXPECT_EQ(columns.rows.size(), 8U) << "two of each stripe of 32";
    EXPECT_EQ(columns.rows.back(), 99);
    const auto c = naive::multiply<float>(problem, naive::real_operands(problem, operands), problem.k);
    const auto judge = [&](const std::vector<float>& output) {
      return compare_columns(problem, columns, naive::rounded(problem, output), one_block);
    };
    EXPECT_EQ(judge(c).why_wrong, "") << to_string(recipe);
    EXPECT_LE(judge(c).worst_share_of_bound, 1);
    if (recipe != Recipe::gaussian) continue;
    for (std::int64_t row = 0; row < problem.batch * 70; ++row) {
      auto wrong = c;
      std::fill_n(wrong.begin() + row * 100, 100, 1e4F);
      const auto verdict = judge(wrong);
      EXPECT_NE(verdict.why_wrong.find("8 of "), std::string::npos) << row << ": " << verdict.why_wrong;
    }
  }
}

}  // namespace
}  // namespace gemmtune
