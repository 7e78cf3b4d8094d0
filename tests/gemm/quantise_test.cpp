#include "gemmtune/gemm/quantise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

std::vector<float> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = (static_cast<float>(random() % 20001) - 10000.0F) / 3000.0F;
  return values;
}

float float_scale(const Quantised& operand, std::int64_t index) {
  float scale = 0;
  std::memcpy(&scale, operand.scales.data() + index * 4, 4);
  return scale;
}

struct Case {
  Side side{};
  float largest{};
  float relative_error{};  // of a value, relative to its group's largest
};

const std::vector<Case> scaled_cases{
    {{DType::i8, Scaling::tensor}, 127, 0.5F / 127},       {{DType::i8, Scaling::row}, 127, 0.5F / 127},
    {{DType::e4m3, Scaling::tensor}, 448, 1.0F / 16},      {{DType::e4m3, Scaling::row}, 448, 1.0F / 16},
    {{DType::e4m3, Scaling::block_1x128}, 448, 1.0F / 16}, {{DType::e4m3, Scaling::block_128x128}, 448, 1.0F / 16},
    {{DType::e4m3fnuz, Scaling::row}, 240, 1.0F / 16},     {{DType::i8, Scaling::block_1x128}, 127, 0.5F / 127},
};

struct Shape {
  std::int64_t rows{};
  std::int64_t k{};
};

const std::vector<Shape> shapes{{1, 1}, {1, 2}, {3, 31}, {5, 127}, {2, 128}, {129, 130}, {300, 257}, {256, 384}};

/// The largest magnitude of the group that holds (row, col), found element by element.
float group_amax(const std::vector<float>& values, const Shape& shape, const ScaleGrid& grid, std::int64_t index) {
  float amax = 0;
  for (std::int64_t row = 0; row < shape.rows; ++row)
    for (std::int64_t col = 0; col < shape.k; ++col)
      if (row / grid.row_block * grid.cols + col / grid.k_block == index)
        amax = std::max(amax, std::fabs(values[row * shape.k + col]));
  return amax;
}

TEST(Quantise, EachGroupIsScaledByItsLargestMagnitude) {
  for (const auto& [side, largest, error] : scaled_cases) {
    for (const Shape shape : {Shape{3, 31}, Shape{130, 257}}) {
      const auto values = random_values(shape.rows * shape.k, 5);
      const auto operand = quantise(values, shape.rows, shape.k, side);
      const auto grid = scale_grid(side.scaling, shape.rows, shape.k);
      ASSERT_EQ(operand.scales.size(), grid.count() * 4);
      for (std::int64_t i = 0; i < grid.count(); ++i)
        ASSERT_EQ(float_scale(operand, i), group_amax(values, shape, grid, i) / largest) << to_string(side.scaling);
    }
  }
}

TEST(Quantise, RealValuesComeBackWithinTheFormatsPrecision) {
  for (const auto& [side, largest, error] : scaled_cases) {
    for (const auto& shape : shapes) {
      const auto values = random_values(shape.rows * shape.k, 9);
      const auto back = dequantise(quantise(values, shape.rows, shape.k, side), shape.rows, shape.k, side);
      ASSERT_EQ(back.size(), values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_LE(std::fabs(back[i] - values[i]), 3.34F * error) << to_string(side.type) << ' ' << i;
    }
  }
}

TEST(Quantise, MxValuesComeBackWithinHalfAStepOfTheirBlock) {
  constexpr Side side{DType::e2m1, Scaling::mx_1x32};
  for (const Shape shape : {Shape{1, 2}, Shape{3, 30}, Shape{2, 32}, Shape{5, 34}, Shape{65, 258}}) {
    const auto values = random_values(shape.rows * shape.k, 13);
    const auto operand = quantise(values, shape.rows, shape.k, side);
    const auto back = dequantise(operand, shape.rows, shape.k, side);
    const std::int64_t cols = (shape.k + 31) / 32;
    ASSERT_EQ(operand.scales.size(), shape.rows * cols);
    ASSERT_EQ(operand.values.size(), shape.rows * shape.k / 2);
    for (std::int64_t i = 0; i < shape.rows * shape.k; ++i) {
      const std::int64_t row = i / shape.k;
      const auto byte = std::to_integer<std::uint8_t>(operand.scales[row * cols + i % shape.k / 32]);
      // 7 scales at most are rounded to 6; between 4 and 6 the step is 2.
      ASSERT_LE(std::fabs(back[i] - values[i]), e8m0_to_float(byte)) << i;
    }
  }
}

TEST(Quantise, MxScalesFollowTheMode) {
  std::vector<float> values(64, 0.25F);
  values[3] = -6.99F;
  values[40] = 1.75F;
  constexpr Side side{DType::e2m1, Scaling::mx_1x32};
  for (const auto mode : {E8M0Mode::round_down, E8M0Mode::round_up, E8M0Mode::even, E8M0Mode::ceil}) {
    const auto operand = quantise(values, 1, 64, side, mode);
    EXPECT_EQ(std::to_integer<std::uint8_t>(operand.scales[0]), e8m0_from_amax(6.99F, mode));
    EXPECT_EQ(std::to_integer<std::uint8_t>(operand.scales[1]), e8m0_from_amax(1.75F, mode));
  }
  const auto by_default = quantise(values, 1, 64, side);
  EXPECT_EQ(std::to_integer<std::uint8_t>(by_default.scales[0]), 127);
}

std::vector<int> scale_bytes(const Quantised& operand) {
  std::vector<int> bytes;
  for (const std::byte scale : operand.scales) bytes.push_back(std::to_integer<int>(scale));
  return bytes;
}

/// OCP MX 1.0: the scale is 2^(floor(log2(amax)) - 8), and what is then above 448 scales saturates.
TEST(Quantise, Mxfp8HasItsLargestExponentAtTheTop) {
  constexpr Side side{DType::e4m3, Scaling::mx_1x32};
  std::vector<float> values(96);
  values[0] = -256.0F;             // 2^8 scales
  values[1] = 0x1p-9F + 0x1p-10F;  // halfway between the smallest subnormals: to the even one
  values[32] = 1.75F;              // 448 scales
  values[33] = 1.9F;               // the largest: saturates
  const auto operand = quantise(values, 1, 96, side);
  EXPECT_EQ(scale_bytes(operand), (std::vector{127, 127 - 8, 0}));
  const auto back = dequantise(operand, 1, 96, side);
  EXPECT_EQ(back[0], -256.0F);
  EXPECT_EQ(back[1], 0x1p-8F);
  EXPECT_EQ(back[32], 1.75F);
  EXPECT_EQ(back[33], 1.75F);
  for (const auto mode : {E8M0Mode::round_down, E8M0Mode::round_up, E8M0Mode::ceil})
    EXPECT_EQ(quantise(values, 1, 96, side, mode).scales, operand.scales);
}

TEST(Quantise, Mxfp8ScalesEndWhereBytesDo) {
  const auto byte = [](float amax) { return static_cast<int>(e8m0_for_e4m3(amax)); };
  EXPECT_EQ(byte(0x1p-119F), 0);
  EXPECT_EQ(byte(0x1p-118F), 1);
  EXPECT_EQ(byte(0x1p-149F), 0);
  EXPECT_EQ(byte(std::numeric_limits<float>::max()), 127 + 119);
  EXPECT_EQ(byte(std::numeric_limits<float>::infinity()), 255);
  EXPECT_EQ(byte(nan_value), 255);
}

TEST(Quantise, ThirtyTwoRowsShareTheScalesOf32x32) {
  constexpr Side side{DType::e4m3, Scaling::mx_32x32};
  std::vector<float> values(40 * 64, 1.0F);
  values[31 * 64 + 5] = 512.0F;
  values[32 * 64 + 40] = 0.25F;
  const auto operand = quantise(values, 40, 64, side);
  EXPECT_EQ(scale_bytes(operand), (std::vector{128, 119, 119, 119}));
  EXPECT_EQ(dequantise(operand, 40, 64, side), values);
}

TEST(Quantise, TheEvenElementIsInTheLowNibble) {
  const std::vector<float> values{1.0F, -6.0F, 0.5F, -0.0F};
  const auto operand = quantise(values, 1, 4, {DType::e2m1, Scaling::mx_1x32});
  ASSERT_EQ(operand.values.size(), 2);
  EXPECT_EQ(operand.values[0], std::byte{0xf2});
  EXPECT_EQ(operand.values[1], std::byte{0x81});
  EXPECT_EQ(operand.scales[0], std::byte{127});
}

TEST(Quantise, GroupsOfZerosHaveTheScaleOne) {
  const std::vector<float> zeros(3 * 130, 0.0F);
  const auto operand = quantise(zeros, 3, 130, {DType::e4m3, Scaling::block_1x128});
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(float_scale(operand, i), 1.0F);
  const auto mx = quantise(zeros, 3, 130, {DType::e2m1, Scaling::mx_1x32});
  EXPECT_EQ(mx.scales, std::vector<std::byte>(3 * 5, std::byte{0}));
  EXPECT_EQ(mx.values, std::vector<std::byte>(3 * 65, std::byte{0}));
}

TEST(Quantise, NanSpoilsItsGroupAndNoOther) {
  auto values = random_values(2 * 64, 3);
  values[40] = nan_value;
  for (const Side side : {Side{DType::e2m1, Scaling::mx_1x32}, Side{DType::i8, Scaling::row}}) {
    const auto back = dequantise(quantise(values, 2, 64, side), 2, 64, side);
    const std::int64_t first = side.type == DType::e2m1 ? 32 : 0;
    for (std::int64_t i = 0; i < 128; ++i) EXPECT_EQ(std::isnan(back[i]), i >= first && i < 64) << i;
  }
}

TEST(Quantise, UnscaledTypesRoundTheValueItself) {
  const std::vector<float> values{1.0F, 1.00390625F, -3.14159F, 70000.0F};
  const auto bf16 = dequantise(quantise(values, 2, 2, {DType::bf16}), 2, 2, {DType::bf16});
  const auto f16 = dequantise(quantise(values, 2, 2, {DType::f16}), 2, 2, {DType::f16});
  const auto f32 = dequantise(quantise(values, 2, 2, {DType::f32}), 2, 2, {DType::f32});
  EXPECT_EQ(bf16, (std::vector<float>{1.0F, 1.0F, -3.140625F, 70144.0F}));
  EXPECT_EQ(f16, (std::vector<float>{1.0F, 1.00390625F, -3.140625F, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(f32, values);
}

TEST(Quantise, Int8RoundsToNearestEvenAndIsSymmetric) {
  const std::vector<float> values{127.0F, 0.5F, 1.5F, -2.5F, -127.0F, 300.0F, -300.0F, nan_value};
  const auto operand = quantise(values, 1, 8, {DType::i8});
  const std::vector<int> expected{127, 0, 2, -2, -127, 127, -127, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(static_cast<std::int8_t>(operand.values[i]), expected[i]) << i;
}

TEST(Quantise, SampledRowsEqualTheWhole) {
  for (const Side side : {Side{DType::e4m3, Scaling::block_128x128}, Side{DType::e2m1, Scaling::mx_1x32},
                          Side{DType::e4m3, Scaling::mx_1x32}, Side{DType::e4m3, Scaling::mx_32x32},
                          Side{DType::i8, Scaling::tensor}, Side{DType::bf16}}) {
    constexpr std::int64_t rows = 260;
    constexpr std::int64_t k = 162;
    const auto operand = quantise(random_values(rows * k, 21), rows, k, side);
    const auto whole = dequantise(operand, rows, k, side);
    std::vector<float> some(3 * k);
    for (const std::int64_t first : {0, 126, 255, 257}) {
      dequantise_rows(operand.values.data(), operand.scales.data(), rows, k, side, first, 3, some);
      EXPECT_TRUE(std::equal(some.begin(), some.end(), whole.begin() + first * k)) << first;
    }
  }
}

TEST(Quantise, RowsMadeOnDemandEqualRowsAtHand) {
  constexpr std::int64_t rows = 400;
  constexpr std::int64_t k = 300;
  const auto values = random_values(rows * k, 17);
  const RowSource source = [&](std::int64_t first, std::int64_t count, std::span<float> scratch) {
    std::copy_n(values.begin() + first * k, count * k, scratch.begin());
    return std::span<const float>(scratch);
  };
  for (const auto& [side, largest, error] : scaled_cases) {
    const auto at_hand = quantise(values, rows, k, side);
    const auto on_demand = quantise_rows(source, rows, k, side);
    EXPECT_EQ(at_hand.values, on_demand.values);
    EXPECT_EQ(at_hand.scales, on_demand.scales);
  }
}

TEST(Quantise, WhatCannotBeStoredIsRefused) {
  const std::vector<float> values(6, 1.0F);
  EXPECT_THROW(quantise(values, 2, 3, {DType::e2m1, Scaling::mx_1x32}), Error);
  EXPECT_THROW(quantise(values, 1, 6, {DType::e2m1, Scaling::row}), Error);
  EXPECT_THROW(quantise(values, 1, 6, {DType::i32}), Error);
  EXPECT_THROW(quantise(values, 2, 6, {DType::bf16}), Error);
}

/// 448 is 1.75 · 2^8: a scale is the first power of two with which the largest magnitude does not exceed it.
TEST(Quantise, E8M0ScalesOfBlocksOf128AreRoundedUp) {
  for (const auto& [largest, byte, code] :
       {std::tuple(448.0F, 127, 0x7e), std::tuple(-449.0F, 128, 0xf6), std::tuple(449.0F, 128, 0x76),
        std::tuple(256.0F, 127, 0x78), std::tuple(0x1.c00002p8F, 128, 0x76), std::tuple(0x1p-118F, 1, 0x78),
        std::tuple(0x1p-149F, 0, 0x00), std::tuple(0.0F, 0, 0x00), std::tuple(0x1.cp127F, 246, 0x7e),
        std::tuple(0x1.fp127F, 247, 0x78)}) {
    std::vector<float> values(130, 0.0F);
    values[127] = largest;
    const auto made = quantise(values, 1, 130, {DType::e4m3, Scaling::e8m0_1x128});
    ASSERT_EQ(made.scales.size(), 2U);
    EXPECT_EQ(std::to_integer<int>(made.scales[0]), byte) << largest;
    EXPECT_EQ(std::to_integer<int>(made.scales[1]), 0) << largest;
    EXPECT_EQ(std::to_integer<int>(made.values[127]), code) << largest;
  }
}

/// Weights share a scale over 128 rows, the last of which may be fewer.
TEST(Quantise, E8M0ScalesOfBlocksOf128x128) {
  constexpr Side side{DType::e4m3, Scaling::e8m0_128x128};
  std::vector<float> values(130 * 129, 0.5F);
  values[5 * 129 + 128] = 896;
  values[128 * 129] = std::numeric_limits<float>::quiet_NaN();
  const auto made = quantise(values, 130, 129, side);
  EXPECT_EQ(made.scales, (std::vector{std::byte{118}, std::byte{128}, std::byte{255}, std::byte{118}}));
  const auto real = dequantise(made, 130, 129, side);
  EXPECT_EQ(real[5 * 129 + 128], 896.0F);
  EXPECT_EQ(real[0], 0.5F);
  EXPECT_TRUE(std::isnan(real[129 * 129]));
}

}  // namespace
}  // namespace gemmtune
