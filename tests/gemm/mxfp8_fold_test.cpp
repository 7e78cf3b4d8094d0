// Folding of MXFP8 on the host, which is the rule for GPUs too.
#include "gemmtune/gemm/mxfp8_fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/draw.h"
#include "gemmtune/gemm/numeric.h"

namespace gemmtune {
namespace {

constexpr Side in_rows{DType::e4m3, Scaling::mx_1x32};
constexpr Side in_squares{DType::e4m3, Scaling::mx_32x32};
constexpr Recipe all_recipes[]{Recipe::gaussian,   Recipe::one_sign,  Recipe::wide_exponents, Recipe::zero_blocks,
                               Recipe::nan_scales, Recipe::wide_rows, Recipe::nan_inf};

/// The real values that were folded, as doubles.
std::vector<double> real_of(const FoldedMxfp8& folded, std::int64_t rows, std::int64_t k) {
  const auto parts = std::ssize(folded.scales) / rows;
  std::vector<double> real;
  for (std::int64_t i = 0; i < rows * k; ++i) {
    const auto part = parts == 1 ? 0 : i % k / 128;
    real.push_back(static_cast<double>(e4m3_to_float(std::to_integer<std::uint8_t>(folded.values[i]))) *
                   folded.scales[i / k * parts + part]);
  }
  return real;
}

Quantised operand_of(std::vector<int> codes, std::vector<int> scales) {
  Quantised operand;
  for (const int code : codes) operand.values.push_back(static_cast<std::byte>(code));
  for (const int scale : scales) operand.scales.push_back(static_cast<std::byte>(scale));
  return operand;
}

std::vector<int> values_of(const FoldedMxfp8& folded, std::int64_t first, std::int64_t count) {
  std::vector<int> values;
  for (auto i = first; i < first + count; ++i) values.push_back(std::to_integer<int>(folded.values[i]));
  return values;
}

TEST(Mxfp8Rules, EachMagnitudeIsBroughtToTheTopOfE4M3) {
  for (std::uint32_t code = 1; code < 127; ++code)
    for (const std::uint32_t e8m0 : {0U, 1U, 17U, 127U, 254U}) {
      const double value =
          std::ldexp(static_cast<double>(e4m3_to_float(static_cast<std::uint8_t>(code))), static_cast<int>(e8m0) - 127);
      const int base = mxfp8_base(code, e8m0);
      const double in_units = std::ldexp(value, -base);
      EXPECT_GE(in_units, 240) << code << ' ' << e8m0;
      EXPECT_LE(in_units, 448) << code << ' ' << e8m0;
      EXPECT_EQ(mxfp8_scale(base), std::ldexp(1.0, base)) << base;
      EXPECT_EQ(e4m3_to_float(static_cast<std::uint8_t>(mxfp8_folded(code, mxfp8_factor(e8m0, base)))), in_units);
    }
}

TEST(Mxfp8Rules, LargerMagnitudesNeverAskForASmallerBase) {
  for (std::uint32_t code = 1; code < 126; ++code) EXPECT_LE(mxfp8_base(code, 127), mxfp8_base(code + 1, 127)) << code;
  EXPECT_EQ(mxfp8_base(0x7e, 127), 0);
  EXPECT_EQ(mxfp8_base(0, 254), no_mxfp8_base);
  EXPECT_EQ(mxfp8_base(0, 255), nan_mxfp8_base);
  EXPECT_EQ(mxfp8_magnitude(0xff), 0U);
  EXPECT_EQ(mxfp8_magnitude(0xfe), 0x7eU);
}

/// Against the codec, which rounds a float.
TEST(Mxfp8Rules, FoldedCodesAreTheNearestOnes) {
  for (std::uint32_t code = 0; code < 256; ++code)
    for (int shift = -40; shift <= 0; ++shift) {
      const float factor = mxfp8_factor(static_cast<std::uint32_t>(127 + shift), 0);
      const float exact = std::ldexp(e4m3_to_float(static_cast<std::uint8_t>(code)), shift);
      const auto expected = (code & 0x7fU) == 0x7fU ? code : float_to_e4m3(exact);
      ASSERT_EQ(mxfp8_folded(code, factor), expected) << code << ' ' << shift;
    }
}

TEST(Mxfp8Fold, BlocksOfAGroupShareTheLargestScale) {
  std::vector<int> codes(256, 0x38);  // 1
  codes[0] = 0x7e;                    // 448
  codes[32] = 0x39;                   // 1.125, in a block whose scale is 2^-9 of the largest: a half is lost
  codes[33] = 0xb8 | 0x80;            // -1
  const auto folded =
      fold_mxfp8(operand_of(codes, {127, 127 - 10, 127, 127, 100, 100, 100, 100}), 1, 256, in_rows, Mxfp8Base::group);
  EXPECT_EQ(folded.scales, (std::vector{1.0F, std::ldexp(1.0F, 100 - 127 - 8)}));
  EXPECT_EQ(values_of(folded, 0, 2), (std::vector{0x7e, 0x38}));
  EXPECT_EQ(values_of(folded, 32, 3), (std::vector{0x01, 0x80, 0x00}));  // 2^-10 is halfway from 0 to 2^-9: to 0
  EXPECT_EQ(values_of(folded, 128, 2), (std::vector{0x78, 0x78}));
  EXPECT_EQ(folded.changes[0].changed, 32U);
}

TEST(Mxfp8Fold, ScalesAtTheEndsOfTheirRange) {
  const auto folded =
      fold_mxfp8(operand_of({1, 0x7e, 1, 0x7e, 0, 0x80}, {0, 0, 254, 254, 254, 0}), 6, 1, in_rows, Mxfp8Base::row);
  EXPECT_EQ(folded.scales, (std::vector{0x1p-144F, 0x1p-127F, 0x1p110F, 0x1p127F, 1.0F, 1.0F}));
  EXPECT_EQ(values_of(folded, 0, 6), (std::vector{0x78, 0x7e, 0x78, 0x7e, 0, 0x80}));
  EXPECT_EQ(mxfp8_fold_report(folded.changes), Mxfp8FoldReport{});
}

/// A block that is 2^200 times as large as its neighbours leaves nothing of them, and they are no loss either.
TEST(Mxfp8Fold, BlocksFarApart) {
  std::vector<int> codes(64, 0x38);
  const auto folded = fold_mxfp8(operand_of(codes, {20, 220}), 1, 64, in_rows, Mxfp8Base::row);
  EXPECT_EQ(values_of(folded, 31, 2), (std::vector{0, 0x78}));
  EXPECT_EQ(folded.changes[0].changed, 32U);
  EXPECT_LT(folded.changes[0].error, 1e-7);
}

/// The scale of zeros says nothing, and does not turn them into anything else.
TEST(Mxfp8Fold, ZerosWithLargeScales) {
  std::vector<int> codes(64, 0);
  codes[3] = 0x80;
  codes[40] = 1;
  const auto folded = fold_mxfp8(operand_of(codes, {254, 0}), 1, 64, in_rows, Mxfp8Base::row);
  EXPECT_EQ(folded.scales, (std::vector{0x1p-144F}));
  EXPECT_EQ(values_of(folded, 2, 3), (std::vector{0, 0x80, 0}));
  EXPECT_EQ(values_of(folded, 39, 3), (std::vector{0, 0x78, 0}));
}

TEST(Mxfp8Fold, NanScalesAndElements) {
  std::vector<int> codes(2 * 256, 0x38);
  codes[256 + 5] = 0x7f;
  const auto operand =
      operand_of(codes, {127, 255, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127});
  const auto groups = fold_mxfp8(operand, 2, 256, in_rows, Mxfp8Base::group);
  EXPECT_TRUE(std::isnan(groups.scales[0]));
  EXPECT_EQ(groups.scales[1], 0x1p-8F);
  EXPECT_EQ(values_of(groups, 256 + 4, 3), (std::vector{0x78, 0x7f, 0x78}));
  const auto rows = fold_mxfp8(operand, 2, 256, in_rows, Mxfp8Base::row);
  EXPECT_TRUE(std::isnan(rows.scales[0]));
  EXPECT_EQ(rows.scales[1], 0x1p-8F);
  EXPECT_EQ(mxfp8_fold_report(rows.changes), Mxfp8FoldReport{});
}

/// One element of 240 and 8160 that are just too small: the row is off by more than the tensor cores are.
TEST(Mxfp8Fold, RowsThatLoseTooMuchAreRefused) {
  constexpr std::int64_t k = 8192;
  std::vector<int> codes(2 * k, 0x38);
  codes[k] = 0x77;  // 240, in the second row
  std::vector<int> scales(2 * k / 32, 127);
  for (std::int64_t block = k / 32 + 1; block < 2 * k / 32; ++block) scales[block] = 127 - 10;  // halfway to 2^-9
  const auto folded = fold_mxfp8(operand_of(codes, scales), 2, k, in_rows, Mxfp8Base::row);
  const auto report = mxfp8_fold_report(folded.changes);
  EXPECT_EQ(report.rows, 1);
  EXPECT_EQ(report.refused_rows, 1);
  EXPECT_EQ(report.elements, k - 32);
  EXPECT_NEAR(report.worst_error, std::sqrt(k - 32) * 0x1p-10 / 240, 1e-6);
  EXPECT_EQ(why_not_folded(report, 2),
            "1 of 2 rows of the weights do not fit: with one scale for a row, values are off by up to 0.00037 of the "
            "row's norm, and 0.00012 is allowed");
  EXPECT_EQ(why_not_folded({}, 2), "");
}

TEST(Mxfp8Fold, OtherSidesAreRefused) {
  EXPECT_THROW(static_cast<void>(fold_mxfp8({}, 1, 32, {DType::e4m3, Scaling::row}, Mxfp8Base::row)), Error);
}

struct Case {
  Side side{};
  Mxfp8Base base{};
  Tensor tensor{};
};

class DrawnFolds : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::int64_t rows = 40;

  static Problem problem(std::int64_t k) { return {.m = rows, .n = rows, .k = k, .a = in_rows, .w = GetParam().side}; }
};

INSTANTIATE_TEST_SUITE_P(Sides, DrawnFolds,
                         testing::Values(Case{in_rows, Mxfp8Base::group, Tensor::a},
                                         Case{in_rows, Mxfp8Base::row, Tensor::w},
                                         Case{in_squares, Mxfp8Base::row, Tensor::w}));

/// Each row by itself is within the bound that verification allows, whatever the recipe, and what a report says is so.
TEST_P(DrawnFolds, AreWithinTheBound) {
  const auto& [side, base, tensor] = GetParam();
  const double bound = base == Mxfp8Base::group ? mxfp8_fold_bound_of_a : mxfp8_fold_bound_of_w;
  for (const std::int64_t k : {1, 31, 200, 4096})
    for (const auto recipe : all_recipes)
      for (const std::uint64_t seed : {3, 4}) {
        const auto drawn = draw_tensor(problem(k), tensor, recipe, seed);
        const auto folded = fold_mxfp8(drawn, rows, k, side, base);
        const auto before = dequantise(drawn, rows, k, side);
        const auto after = real_of(folded, rows, k);
        for (std::int64_t row = 0; row < rows; ++row) {
          double error = 0;
          double real = 0;
          std::uint32_t changed = 0;
          bool has_nan = false;
          for (auto i = row * k; i < (row + 1) * k; ++i) {
            ASSERT_TRUE(std::isnan(after[i]) || !std::isnan(before[i])) << i;
            has_nan = has_nan || std::isnan(after[i]) || std::isnan(before[i]);
            if (has_nan) break;
            error += (after[i] - before[i]) * (after[i] - before[i]);
            real += static_cast<double>(before[i]) * before[i];
            changed += after[i] != before[i] ? 1 : 0;
          }
          if (has_nan) continue;
          const double relative = error == 0 ? 0 : std::sqrt(error / real);
          ASSERT_LE(relative, bound) << to_string(recipe) << ' ' << k << ' ' << row;
          ASSERT_NEAR(folded.changes[row].error, relative, 1e-6 * relative) << to_string(recipe) << ' ' << k;
          ASSERT_EQ(folded.changes[row].changed, changed) << to_string(recipe) << ' ' << k;
        }
      }
}

/// Most operands lose next to nothing.
TEST_P(DrawnFolds, ChangeLittleOfGaussianOperands) {
  const auto& [side, base, tensor] = GetParam();
  const auto folded = fold_mxfp8(draw_tensor(problem(4096), tensor, Recipe::gaussian, 1), rows, 4096, side, base);
  const auto report = mxfp8_fold_report(folded.changes);
  EXPECT_LT(report.worst_error, 1e-5);
  EXPECT_LT(report.elements, rows * 4096 / 1000);
}

}  // namespace
}  // namespace gemmtune
