#include "gemmtune/gemm/fp8_in_call.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float smallest = std::numeric_limits<float>::denorm_min();

float scale_for(float largest) { return fp8_scale(magnitude_bits(largest)); }

TEST(Fp8InCall, TheLargestMagnitudeBecomes448AndTiesGoToEven) {
  EXPECT_EQ(scale_for(-896.0F), 2.0F);
  EXPECT_EQ(fp8_code(896.0F, 2.0F), 0x7e);
  EXPECT_EQ(fp8_code(-896.0F, 2.0F), 0xfe);
  EXPECT_EQ(fp8_code(2 * 17.0F, 2.0F), 0x58);  // between 16 and 18
  EXPECT_EQ(fp8_code(2 * 19.0F, 2.0F), 0x5a);  // between 18 and 20: 20 is even
  EXPECT_EQ(fp8_code(0x1p-9F, 2.0F), 0x00);    // half of the smallest code
  EXPECT_EQ(fp8_code(0x1.8p-8F, 2.0F), 0x02);  // one and a half of it
  EXPECT_EQ(fp8_code(-0.0F, 2.0F), 0x80);
}

TEST(Fp8InCall, ZerosAndWhatIsTooSmallHaveTheScaleOne) {
  EXPECT_EQ(scale_for(0.0F), 1.0F);
  EXPECT_EQ(scale_for(224 * smallest), 1.0F);
  EXPECT_EQ(fp8_code(224 * smallest, 1.0F), 0x00);
  EXPECT_EQ(scale_for(225 * smallest), smallest);
  EXPECT_EQ(fp8_code(225 * smallest, smallest), E4M3Codec::encode(225.0F));
  EXPECT_EQ(fp8_code(671 * smallest, scale_for(671 * smallest)), 0x7e);  // the scale is rounded down: 671 is limited
}

Side float_side(DType type, Scaling scaling) { return {.type = type, .scaling = scaling}; }

std::vector<float> waves(std::int64_t rows, std::int64_t k) {
  std::vector<float> values(static_cast<std::size_t>(rows * k));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i)) * std::exp2(static_cast<float>(i / 50 % 7));
  return values;
}

/// What the call makes of stored floats is what the quantiser for models makes of them: the last 128 may be fewer.
TEST(Fp8InCall, IsTheQuantiserOfE4m3) {
  constexpr std::int64_t rows = 3, k = 300;
  for (const auto type : {DType::bf16, DType::f16, DType::f32})
    for (const auto scaling : {Scaling::fp8_1x128, Scaling::fp8_row}) {
      const Side side = float_side(type, scaling);
      const auto stored = quantise(waves(rows, k), rows, k, side);
      EXPECT_EQ(stored.values, quantise(waves(rows, k), rows, k, {type}).values);
      EXPECT_TRUE(stored.scales.empty());
      const auto floats = dequantise(stored, rows, k, {type});
      const Side made = side_in_call(side);
      EXPECT_EQ(dequantise(stored, rows, k, side), dequantise(quantise(floats, rows, k, made), rows, k, made));
      EXPECT_NE(dequantise(stored, rows, k, side), floats);
    }
}

TEST(Fp8InCall, NanAndInfinityMakeTheirGroupNanAndNoOther) {
  for (const float bad : {nan_value, -nan_value, infinity, -infinity})
    for (const auto scaling : {Scaling::fp8_1x128, Scaling::fp8_row}) {
      const Side side = float_side(DType::bf16, scaling);
      std::vector<float> values(600, 1.0F);
      values[140] = bad;
      const auto real = dequantise(quantise(values, 2, 300, side), 2, 300, side);
      const std::size_t first = scaling == Scaling::fp8_row ? 0 : 128;
      const std::size_t last = scaling == Scaling::fp8_row ? 299 : 255;
      for (std::size_t i = 0; i < real.size(); ++i) EXPECT_EQ(std::isnan(real[i]), i >= first && i <= last) << i;
    }
}

float fused(float x, float y, float z) { return std::fma(x, y, z); }

void expect_same_code(float value, float scale) {
  ASSERT_TRUE(has_fp8_reciprocal(scale)) << scale;
  const float quotient = fp8_quotient(value, scale, 1.0F / scale, fused);
  ASSERT_EQ(E4M3Codec::encode(quotient), fp8_code(value, scale)) << std::hexfloat << value << " / " << scale;
}

TEST(Fp8InCall, TheQuotientWithoutADivisionHasTheCodeOfTheDivision) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> share(-1.0F, 1.0F);
  std::uniform_int_distribution<int> exponent(-50, 100);
  for (int i = 0; i < 200'000; ++i) {
    const float largest = std::ldexp(1 + std::fabs(share(random)), exponent(random));
    const float scale = scale_for(largest);
    expect_same_code(largest * share(random), scale);
    expect_same_code(largest * std::ldexp(share(random), -i % 24), scale);
  }
}

/// Values next to the middle between two codes, where a quotient that is off by its last place has another code.
TEST(Fp8InCall, TheQuotientIsRightNextToTies) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> mantissa(1.0F, 2.0F);
  for (int i = 0; i < 500; ++i) {
    const float scale = std::ldexp(mantissa(random), i % 150 - 55);
    for (std::uint8_t code = 0; code < 0x7e; ++code) {
      const float tie = (E4M3Codec::decode(code) + E4M3Codec::decode(static_cast<std::uint8_t>(code + 1))) / 2;
      const float middle = tie * scale;
      for (const float value : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, infinity)})
        for (const float sign : {1.0F, -1.0F}) expect_same_code(sign * value, scale);
    }
    for (const float value :
         {0.0F, -0.0F, smallest, -smallest, 448.0F * scale, std::nextafter(448.0F * scale, infinity)})
      expect_same_code(value, scale);
  }
}

TEST(Fp8InCall, OfScalesAtTheEndsTheRuleDivides) {
  for (const float scale : {smallest, 0x1p-61F, 0x1p101F, infinity, nan_value}) EXPECT_FALSE(has_fp8_reciprocal(scale));
  EXPECT_TRUE(has_fp8_reciprocal(1.0F));
}

TEST(Fp8InCall, WhatIsMultipliedIsE4m3WithScales) {
  const auto product = [](const char* text) { return to_string(product_in_call(parse_problem(text))); };
  EXPECT_EQ(product("3x4x128:bf16/fp8_1x128:e4m3/128x128:f32:bias:packed"),
            "3x4x128:e4m3/1x128:e4m3/128x128:f32:bias:packed");
  EXPECT_EQ(product("3x4x128:f16/fp8_row:e4m3/tensor:bf16:batch=2:lda=130:ldw=140"),
            "3x4x128:e4m3/row:e4m3/tensor:bf16:batch=2:ldw=140");
  EXPECT_EQ(product("3x4x128:bf16/fp8_row:e4m3/row:bf16:tt"), "3x4x128:e4m3/row:e4m3/row:bf16");
  EXPECT_EQ(product("3x4x128:f32/fp8_row:e2m1/1x32:f32:bias:packed"), "3x4x128:e4m3/row:e2m1/1x32:f32:bias:packed");
  for (const char* other : {"3x4x128:a8w4", "3x4x128:e4m3/row:e4m3/row:bf16:lda=130"})
    EXPECT_EQ(product(other), to_string(parse_problem(other)));
}

}  // namespace
}  // namespace gemmtune
