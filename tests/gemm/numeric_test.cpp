#include "gemmtune/gemm/numeric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace gemmtune {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// One format, as two functions on integers of its width.
struct Conversion {
  std::string_view name{};
  std::uint32_t codes{};
  float (*decode)(std::uint32_t){};
  std::uint32_t (*encode)(float){};
  float largest{};
  bool saturates{};
};

const std::array<Conversion, 6> conversions{{
    {"e2m1", 16, [](std::uint32_t c) { return e2m1_to_float(static_cast<std::uint8_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_e2m1(v); }, 6.0F, true},
    {"e4m3", 256, [](std::uint32_t c) { return e4m3_to_float(static_cast<std::uint8_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_e4m3(v); }, 448.0F, true},
    {"e4m3fnuz", 256, [](std::uint32_t c) { return e4m3fnuz_to_float(static_cast<std::uint8_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_e4m3fnuz(v); }, 240.0F, true},
    {"f16", 65536, [](std::uint32_t c) { return f16_to_float(static_cast<std::uint16_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_f16(v); }, 65504.0F, false},
    {"tf32", 1U << 19, [](std::uint32_t c) { return float_to_tf32(std::bit_cast<float>(c << 13)); },
     [](float v) -> std::uint32_t { return std::bit_cast<std::uint32_t>(float_to_tf32(v)) >> 13; }, 0x1.ffcp127F,
     false},
    {"bf16", 65536, [](std::uint32_t c) { return bf16_to_float(static_cast<std::uint16_t>(c)); },
     [](float v) -> std::uint32_t { return float_to_bf16(v); }, 0x1.fep127F, false},
}};

class NumericTest : public testing::TestWithParam<Conversion> {};

INSTANTIATE_TEST_SUITE_P(Formats, NumericTest, testing::ValuesIn(conversions),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// The finite values that are not negative, in the order of their codes, which is also ascending.
std::vector<float> magnitudes(const Conversion& format) {
  std::vector<float> values;
  for (std::uint32_t code = 0; code < format.codes / 2; ++code)
    if (const float value = format.decode(code); std::isfinite(value)) values.push_back(value);
  return values;
}

TEST_P(NumericTest, EveryCodeSurvivesTheRoundTrip) {
  const auto& format = GetParam();
  for (std::uint32_t code = 0; code < format.codes; ++code) {
    const float value = format.decode(code);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(format.decode(format.encode(value)))) << code;
    } else if (std::isfinite(value) || !format.saturates) {
      EXPECT_EQ(format.encode(value), code) << value;
    }
  }
}

TEST_P(NumericTest, MagnitudesGrowWithTheirCodesUpToTheLargest) {
  const auto values = magnitudes(GetParam());
  for (std::size_t i = 1; i < values.size(); ++i) ASSERT_LT(values[i - 1], values[i]) << i;
  EXPECT_EQ(values.front(), 0.0F);
  EXPECT_EQ(values.back(), GetParam().largest);
}

TEST_P(NumericTest, TheMiddleBetweenTwoNeighboursGoesToTheEvenCode) {
  const auto& format = GetParam();
  const auto values = magnitudes(format);
  for (std::uint32_t code = 0; code + 1 < values.size(); ++code) {
    const float middle = values[code] + (values[code + 1] - values[code]) / 2;
    const std::uint32_t even = code % 2 == 0 ? code : code + 1;
    ASSERT_EQ(format.encode(middle), even) << middle;
    ASSERT_EQ(format.encode(std::nextafter(middle, 0.0F)), code) << middle;
    ASSERT_EQ(format.encode(std::nextafter(middle, infinity)), code + 1) << middle;
    ASSERT_EQ(format.decode(format.encode(-middle)), -format.decode(even)) << middle;
  }
}

TEST_P(NumericTest, EncodingPicksTheNearest) {
  const auto& format = GetParam();
  const auto values = magnitudes(format);
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const auto magnitude = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0x7fffffffU);
    if (!(magnitude <= format.largest)) continue;
    const float encoded = format.decode(format.encode(magnitude));
    const auto above = std::lower_bound(values.begin(), values.end(), magnitude);
    const double to_above = static_cast<double>(*above) - magnitude;
    const double to_below = above == values.begin() ? to_above : static_cast<double>(magnitude) - *(above - 1);
    ASSERT_EQ(std::fabs(static_cast<double>(encoded) - magnitude), std::min(to_above, to_below)) << magnitude;
  }
}

TEST_P(NumericTest, TooLargeValuesSaturateOrOverflow) {
  const auto& format = GetParam();
  const float expected = format.saturates ? format.largest : infinity;
  EXPECT_EQ(format.decode(format.encode(infinity)), expected);
  EXPECT_EQ(format.decode(format.encode(-infinity)), -expected);
  EXPECT_EQ(format.decode(format.encode(std::numeric_limits<float>::max())), expected);
}

TEST(Numeric, E2M1HasItsSixteenValues) {
  const std::array<float, 16> values{0, .5, 1, 1.5, 2, 3, 4, 6, -0.0F, -.5, -1, -1.5, -2, -3, -4, -6};
  for (std::uint8_t code = 0; code < 16; ++code) {
    EXPECT_EQ(e2m1_to_float(code), values[code]);
    EXPECT_EQ(std::signbit(e2m1_to_float(code)), code >= 8);
  }
}

TEST(Numeric, E2M1RoundsTiesToEvenAndKeepsTheSignOfZero) {
  const std::vector<std::pair<float, float>> vectors{{0.25F, 0}, {0.75F, 1}, {1.25F, 1}, {1.75F, 2},
                                                     {2.5F, 2},  {3.5F, 4},  {5.0F, 4},  {5.0001F, 6}};
  for (const auto& [value, expected] : vectors) {
    EXPECT_EQ(e2m1_to_float(float_to_e2m1(value)), expected) << value;
    EXPECT_EQ(e2m1_to_float(float_to_e2m1(-value)), -expected) << value;
  }
  EXPECT_EQ(float_to_e2m1(-0.0F), 8);
  EXPECT_EQ(float_to_e2m1(-0.25F), 8);
  EXPECT_EQ(float_to_e2m1(nan_value), 7);
}

TEST(Numeric, E4M3SaturatesAndHasTwoNans) {
  EXPECT_EQ(float_to_e4m3(464.0F), 0x7e);
  EXPECT_EQ(float_to_e4m3(-1e30F), 0xfe);
  EXPECT_EQ(float_to_e4m3(nan_value), 0x7f);
  EXPECT_TRUE(std::isnan(e4m3_to_float(0x7f)));
  EXPECT_TRUE(std::isnan(e4m3_to_float(0xff)));
  EXPECT_EQ(e4m3_to_float(0x01), 0x1p-9F);
  EXPECT_EQ(e4m3_to_float(0x08), 0x1p-6F);
  EXPECT_EQ(float_to_e4m3(-0.0F), 0x80);
}

TEST(Numeric, E4M3FnuzHasOneZeroAndOneNan) {
  EXPECT_EQ(float_to_e4m3fnuz(-0.0F), 0x00);
  EXPECT_EQ(float_to_e4m3fnuz(-1e-6F), 0x00);
  EXPECT_EQ(float_to_e4m3fnuz(nan_value), 0x80);
  EXPECT_TRUE(std::isnan(e4m3fnuz_to_float(0x80)));
  EXPECT_EQ(e4m3fnuz_to_float(0x01), 0x1p-10F);
  EXPECT_EQ(float_to_e4m3fnuz(1e9F), 0x7f);
}

TEST(Numeric, F16OverflowsHalfWayBeyondItsLargest) {
  EXPECT_EQ(float_to_f16(65519.0F), 0x7bff);
  EXPECT_EQ(float_to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(float_to_f16(0x1p-25F), 0x0000);
  EXPECT_EQ(float_to_f16(0x1.000002p-25F), 0x0001);
  EXPECT_TRUE(std::isnan(f16_to_float(float_to_f16(std::bit_cast<float>(0x7f800001U)))));
}

TEST(Numeric, Bf16NanStaysNanWhereItsPayloadIsLow) {
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_EQ(float_to_bf16(std::bit_cast<float>(0x7f7f8000U)), 0x7f80);
}

TEST(Numeric, E8M0IsAPowerOfTwoOrNan) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(e8m0_to_float(0)), 0x00400000U);
  for (int bits = 0; bits < 255; ++bits)
    EXPECT_EQ(e8m0_to_float(static_cast<std::uint8_t>(bits)), std::ldexp(1.0F, bits - 127)) << bits;
  EXPECT_TRUE(std::isnan(e8m0_to_float(255)));
}

TEST(Numeric, E8M0ScalesFollowTheTunersVectors) {
  struct Vector {
    float amax;
    int even;
    int round_up;
  };
  for (const auto& [amax, even, round_up] :
       {Vector{1.0F, 125, 125}, Vector{1.5F, 125, 125}, Vector{1.74F, 125, 126}, Vector{1.75F, 126, 126},
        Vector{6.0F, 127, 127}, Vector{6.99F, 127, 128}, Vector{7.0F, 128, 128}, Vector{12.0F, 128, 128}}) {
    EXPECT_EQ(e8m0_from_amax(amax, E8M0Mode::even), even) << amax;
    EXPECT_EQ(e8m0_from_amax(amax, E8M0Mode::round_up), round_up) << amax;
  }
}

TEST(Numeric, E8M0ModesAgreeWithTheirLogarithms) {
  std::mt19937 random(11);
  for (int i = 0; i < 100000; ++i) {
    const auto amax = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0x7fffffffU);
    if (!std::isfinite(amax) || amax == 0.0F) continue;
    const auto byte = [](double exponent) { return std::clamp(static_cast<int>(exponent), -127, 127) + 127; };
    // frexp's mantissa is in [0.5, 1): no logarithm that could round across an integer.
    int quarter_exponent = 0;
    const double quarter = std::frexp(static_cast<double>(amax) / 4, &quarter_exponent);
    int sixth_exponent = 0;
    const double sixth = std::frexp(static_cast<double>(amax) / 6, &sixth_exponent);
    ASSERT_EQ(e8m0_from_amax(amax, E8M0Mode::round_down), byte(quarter_exponent - 1)) << amax;
    ASSERT_EQ(e8m0_from_amax(amax, E8M0Mode::ceil), byte(quarter == 0.5 ? quarter_exponent - 1 : quarter_exponent))
        << amax;
    ASSERT_EQ(e8m0_from_amax(amax, E8M0Mode::round_up), byte(sixth == 0.5 ? sixth_exponent - 1 : sixth_exponent))
        << amax;
    ASSERT_EQ(e8m0_from_amax(amax, E8M0Mode::even), byte(quarter >= 0.875 ? quarter_exponent : quarter_exponent - 1))
        << amax;
  }
}

TEST(Numeric, E8M0OnExactPowersAndSubnormals) {
  for (int exponent = -120; exponent <= 120; ++exponent) {
    const float power = std::ldexp(1.0F, exponent);
    EXPECT_EQ(e8m0_from_amax(power, E8M0Mode::ceil), exponent + 125);
    EXPECT_EQ(e8m0_from_amax(std::nextafter(power, infinity), E8M0Mode::ceil), exponent + 126);
    EXPECT_EQ(e8m0_from_amax(6 * power, E8M0Mode::round_up), exponent + 127);
    EXPECT_EQ(e8m0_from_amax(std::nextafter(6 * power, infinity), E8M0Mode::round_up), exponent + 128);
  }
  for (const auto mode : {E8M0Mode::round_down, E8M0Mode::round_up, E8M0Mode::even, E8M0Mode::ceil}) {
    EXPECT_EQ(e8m0_from_amax(std::numeric_limits<float>::denorm_min(), mode), 0);
    EXPECT_EQ(e8m0_from_amax(0x1.8p-127F, mode), 0);
    EXPECT_EQ(e8m0_from_amax(0.0F, mode), 0);
    EXPECT_EQ(e8m0_from_amax(infinity, mode), 255);
    EXPECT_EQ(e8m0_from_amax(nan_value, mode), 255);
  }
  EXPECT_EQ(e8m0_from_amax(std::numeric_limits<float>::max(), E8M0Mode::round_down), 252);
  EXPECT_EQ(e8m0_from_amax(std::numeric_limits<float>::max(), E8M0Mode::ceil), 253);
}

}  // namespace
}  // namespace gemmtune
