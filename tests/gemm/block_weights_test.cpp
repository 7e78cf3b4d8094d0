// Weights in blocks that MX does not cover: NVFP4, and GGUF's Q4_0 and Q8_0.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

constexpr Side nvfp4{DType::e2m1, Scaling::nv_1x16};
constexpr Side q4_0{DType::i4, Scaling::f16_1x32};
constexpr Side q8_0{DType::i8, Scaling::f16_1x32};
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

std::vector<std::byte> bytes(const std::vector<int>& values) {
  std::vector<std::byte> all;
  for (const int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

float f16_scale(const Quantised& operand, std::int64_t index) {
  std::uint16_t bits{};
  std::memcpy(&bits, operand.scales.data() + 2 * index, 2);
  return f16_to_float(bits);
}

std::vector<std::byte> with_float(std::vector<std::byte> scales, float value) {
  scales.resize(scales.size() + 4);
  std::memcpy(scales.data() + scales.size() - 4, &value, 4);
  return scales;
}

std::vector<float> random_values(std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = (static_cast<float>(random() % 20001) - 10000.0F) / 3000.0F;
  return values;
}

TEST(Q4, TheFirstValueOfTheLargestMagnitudeBecomesMinusEight) {
  const auto positive = quantise(std::vector{8.0F, -8.0F, 1.0F, 0.5F, 1.5F, -7.5F}, 1, 6, q4_0);
  EXPECT_EQ(f16_scale(positive, 0), -1.0F);
  EXPECT_EQ(positive.values, bytes({0x78, 0x0f, 0x7e}));  // -8 and 8 that saturates at 7; -1, -0.5; -1.5, 7.5
  const auto negative = quantise(std::vector{-4.0F, 3.5F, 4.0F, 0.0F}, 1, 4, q4_0);
  EXPECT_EQ(f16_scale(negative, 0), 0.5F);
  EXPECT_EQ(negative.values, bytes({0x78, 0x07}));
  EXPECT_EQ(dequantise(negative, 1, 4, q4_0), (std::vector{-4.0F, 3.5F, 3.5F, 0.0F}));
}

TEST(Q8Weights, HaveTheLargestMagnitudeAt127) {
  const auto operand = quantise(std::vector{-254.0F, 2.0F, 3.0F}, 1, 3, q8_0);
  EXPECT_EQ(f16_scale(operand, 0), 2.0F);
  EXPECT_EQ(operand.values, bytes({-127, 1, 2}));
}

TEST(F16Scales, AreRoundedAndMayVanish) {
  for (const Side side : {q4_0, q8_0}) {
    const auto none = quantise(std::vector<float>(4), 1, 4, side);
    EXPECT_EQ(f16_scale(none, 0), 1.0F);
    const auto tiny = quantise(std::vector{1e-7F, -1e-8F}, 1, 2, side);  // the scale is less than half of 2^-24
    EXPECT_EQ(f16_scale(tiny, 0), 0.0F);
    EXPECT_EQ(dequantise(tiny, 1, 2, side), (std::vector{0.0F, 0.0F}));
    const auto subnormal = quantise(std::vector{0x1p-24F * 127, 0.0F}, 1, 2, side);
    EXPECT_NE(f16_scale(subnormal, 0), 0.0F);
  }
  EXPECT_EQ(f16_scale(quantise(std::vector{1.0F}, 1, 1, q8_0), 0), f16_to_float(float_to_f16(1.0F / 127)));
}

/// Two blocks of 16; the largest magnitude of all is 2688 · 2, so that the tensor's scale is 2.
TEST(Nvfp4, BlocksAreScaledByE4M3AndTheWholeByAFloat) {
  std::vector<float> values(32);
  values[0] = -5376.0F;  // scale 448, code -6
  values[1] = 448.0F;    // code 0.5
  values[16] = 12.0F;    // scale 1, code 6
  values[17] = -3.0F;    // code -1.5
  const auto operand = quantise(values, 1, 32, nvfp4);
  EXPECT_EQ(operand.values[0], std::byte{0x1f});
  EXPECT_EQ(operand.values[8], std::byte{0xb7});
  EXPECT_EQ(operand.scales, with_float(bytes({0x7e, 0x38, 0, 0}), 2.0F));
  EXPECT_EQ(dequantise(operand, 1, 32, nvfp4), values);
}

TEST(Nvfp4, ZerosAndBlocksThatAreTooSmallAreZero) {
  const auto zeros = quantise(std::vector<float>(32), 1, 32, nvfp4);
  EXPECT_EQ(zeros.scales, with_float(bytes({0, 0, 0, 0}), 1.0F));
  std::vector<float> values(32);
  values[0] = 2688.0F;
  values[20] = -6 * 0x1p-11F;  // the smallest scale is 2^-9
  EXPECT_EQ(dequantise(quantise(values, 1, 32, nvfp4), 1, 32, nvfp4)[20], 0.0F);
  values[20] = 6 * 0x1p-9F;
  EXPECT_EQ(dequantise(quantise(values, 1, 32, nvfp4), 1, 32, nvfp4), values);
}

TEST(BlockWeights, ComeBackWithinHalfAStep) {
  struct Case {
    Side side{};
    float error{};  // relative to the largest magnitude, 3.34
  };
  for (const auto& [side, error] : {Case{q4_0, 1.0F / 8}, Case{q8_0, 0.51F / 127}, Case{nvfp4, 1.5F / 6}})
    for (const std::int64_t k : {2, 16, 30, 32, 34, 258}) {
      const auto values = random_values(5 * k, 9);
      const auto back = dequantise(quantise(values, 5, k, side), 5, k, side);
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_LE(std::fabs(back[i] - values[i]), 3.34F * error) << to_string(side.type) << ' ' << i;
    }
}

TEST(BlockWeights, NanSpoilsItsBlock) {
  auto values = random_values(2 * 64, 3);
  values[40] = nan_value;
  for (const Side side : {q4_0, q8_0}) {
    const auto back = dequantise(quantise(values, 2, 64, side), 2, 64, side);
    for (std::int64_t i = 0; i < 128; ++i) EXPECT_EQ(std::isnan(back[i]), i >= 32 && i < 64) << i;
  }
}

TEST(BlockWeights, SomeRowsAreThoseOfTheWhole) {
  constexpr std::int64_t rows = 21;
  constexpr std::int64_t k = 90;
  const std::vector<std::int64_t> chosen{0, 3, 4, 20};
  for (const Side side :
       {q4_0, q8_0, nvfp4, Side{DType::e2m1, Scaling::mx_1x32}, Side{DType::i8, Scaling::tensor},
        Side{DType::e4m3, Scaling::mx_1x32}, Side{DType::e4m3, Scaling::row}, Side{DType::bf16, Scaling::q8_in_call}}) {
    const auto whole = quantise(random_values(rows * k, 4), rows, k, side);
    const auto real = dequantise(whole, rows, k, side);
    const auto some = dequantise(rows_of(whole, rows, k, side, chosen), std::ssize(chosen), k, side);
    for (std::size_t i = 0; i < some.size(); ++i)
      ASSERT_EQ(some[i], real[chosen[i / k] * k + static_cast<std::int64_t>(i) % k]) << to_string(side.scaling);
  }
  for (const Scaling scaling : {Scaling::block_128x128, Scaling::mx_32x32}) {
    const auto blocks = quantise(std::vector<float>(4), 2, 2, {DType::e4m3, scaling});
    EXPECT_THROW(static_cast<void>(rows_of(blocks, 2, 2, {DType::e4m3, scaling}, chosen)), Error);
  }
}

TEST(BlockWeights, EachCodeHasItsValue) {
  for (int code = 0; code < 16; ++code) {
    EXPECT_EQ(i4_to_float(static_cast<std::uint8_t>(code)), static_cast<float>(code < 8 ? code : code - 16));
    EXPECT_EQ(float_to_i4(i4_to_float(static_cast<std::uint8_t>(code))), code);
  }
  EXPECT_EQ(float_to_i4(8.0F), 7);
  EXPECT_EQ(float_to_i4(-9.0F), 8);
  EXPECT_EQ(float_to_i4(-2.5F), 14);
  EXPECT_EQ(float_to_i4(nan_value), 0);
}

}  // namespace
}  // namespace gemmtune
