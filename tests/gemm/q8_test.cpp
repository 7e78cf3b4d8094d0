#include "gemmtune/gemm/q8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float smallest = std::numeric_limits<float>::denorm_min();

std::vector<int> codes_of(const std::vector<float>& values) {
  const auto block = q8_block(values);
  return {block.codes.begin(), block.codes.begin() + std::ssize(values)};
}

TEST(Q8, TheLargestMagnitudeBecomes127AndTiesGoToEven) {
  EXPECT_EQ(q8_block(std::vector{254.0F}).scale, 2.0F);
  EXPECT_EQ(codes_of({254.0F, -254.0F, 1.0F, -1.0F, 3.0F, -3.0F, 5.0F, 0.0F, -0.0F, 1.0001F}),
            (std::vector{127, -127, 0, 0, 2, -2, 2, 0, 0, 1}));
}

TEST(Q8, DividesAndRoundsBothTimes) {
  const auto block = q8_block(std::vector{1.0F, 0.3F});
  EXPECT_EQ(block.scale, 0x1.020408p-7F);  // 1 / 127 to nearest
  EXPECT_EQ(block.codes[0], 127);
  EXPECT_EQ(block.codes[1], 38);  // 38.1
}

TEST(Q8, AfterAShortBlockTheCodesAreZero) {
  const auto block = q8_block(std::vector{-3.0F});
  EXPECT_EQ(block.codes[0], -127);
  for (std::size_t i = 1; i < block.codes.size(); ++i) EXPECT_EQ(block.codes[i], 0);
}

TEST(Q8, ZerosHaveTheScaleOne) {
  EXPECT_EQ(q8_block(std::vector<float>(32)).scale, 1.0F);
  EXPECT_EQ(codes_of({0.0F, -0.0F}), (std::vector{0, 0}));
}

/// 127 times the smallest float and a little more give the smallest scale, half of it none.
TEST(Q8, ScalesMayBeSubnormalOrTooSmall) {
  EXPECT_EQ(q8_block(std::vector{127 * smallest}).scale, smallest);
  EXPECT_EQ(codes_of({127 * smallest, -3 * smallest}), (std::vector{127, -3}));
  EXPECT_EQ(codes_of({190 * smallest, -190 * smallest}), (std::vector{127, -127}));  // the scale is rounded down
  EXPECT_EQ(q8_block(std::vector{63 * smallest}).scale, 1.0F);
  EXPECT_EQ(codes_of({63 * smallest}), (std::vector{0}));
}

TEST(Q8, LargeValuesHaveScalesThatF16DoesNotHold) {
  EXPECT_EQ(q8_block(std::vector{127.0F * 0x1p100F}).scale, 0x1p100F);
  EXPECT_EQ(codes_of({127.0F * 0x1p100F, 0x1p100F}), (std::vector{127, 1}));
}

TEST(Q8, NanAndInfinitySpoilTheirBlockAndNoOther) {
  constexpr Side side{DType::bf16, Scaling::q8_in_call};
  for (const float bad : {nan_value, -nan_value, infinity, -infinity}) {
    EXPECT_TRUE(std::isnan(q8_block(std::vector{1.0F, bad, 2.0F}).scale));
    std::vector<float> values(100, 1.0F);
    values[40] = bad;
    const auto real = dequantise(quantise(values, 1, 100, side), 1, 100, side);
    for (std::size_t i = 0; i < real.size(); ++i) EXPECT_EQ(std::isnan(real[i]), i >= 32 && i < 64) << i;
  }
}

/// A row of 70 has blocks of 32, 32 and 6, and the next row begins a block of its own.
TEST(Q8, OperandsAreStoredAsFloatsAndReadAsTheCallMakesThem) {
  for (const auto type : {DType::bf16, DType::f16, DType::f32}) {
    const Side side{type, Scaling::q8_in_call};
    std::vector<float> values(140);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i)) * (i < 70 ? 1 : 1000);
    const auto stored = quantise(values, 2, 70, side);
    EXPECT_EQ(stored.values, quantise(values, 2, 70, {type}).values);
    EXPECT_TRUE(stored.scales.empty());
    const auto floats = dequantise(stored, 2, 70, {type});
    const auto real = dequantise(stored, 2, 70, side);
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t first = 0; first < 70; first += 32) {
        const auto length = std::min<std::size_t>(32, 70 - first);
        const auto block = q8_block(std::span(floats).subspan(row * 70 + first, length));
        for (std::size_t i = 0; i < length; ++i)
          EXPECT_EQ(real[row * 70 + first + i], static_cast<float>(block.codes[i]) * block.scale) << row << ' ' << i;
      }
  }
}

}  // namespace
}  // namespace gemmtune
