#include "gemmtune/gemm/draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

constexpr auto all_recipes = {Recipe::gaussian, Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks,
                              Recipe::nan_scales};

std::vector<float> real_w(const Problem& problem, const HostOperands& operands) {
  return dequantise({operands.w, operands.w_scale}, problem.n, problem.k, problem.w);
}

std::vector<std::byte> bytes_of(const std::vector<int>& values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// The vectors were computed by a Python program from the formulas in the header. Workers in other languages can be
// checked against them.
TEST(Draw, CounterBitsMatchTheGoldenVectors) {
  EXPECT_EQ(counter_bits(0, Tensor::a, 0), 0xa706dd2f4d197e6fULL);
  EXPECT_EQ(counter_bits(0, Tensor::a, 1), 0xb382a305f4414f5eULL);
  EXPECT_EQ(counter_bits(0, Tensor::w, 0), 0x46b73e79f0c37c00ULL);
  EXPECT_EQ(counter_bits(0, Tensor::bias, 0), 0xee2751b92135351cULL);
  EXPECT_EQ(counter_bits(1, Tensor::a, 0), 0x5e41ab087439611eULL);
  EXPECT_EQ(counter_bits(~0ULL, Tensor::w, 123456789), 0xd3c873789106bcc8ULL);
  EXPECT_EQ(counter_bits(42, Tensor::a, block_stream), 0xf54abb1228262896ULL);
  EXPECT_EQ(counter_bits(42, Tensor::w, row_stream + 7), 0x60b101b35722cb39ULL);
}

TEST(Draw, CounterGaussiansMatchTheGoldenVectors) {
  EXPECT_EQ(counter_gaussian(0, Tensor::a, 0), 0x1.143fa2p-1F);
  EXPECT_EQ(counter_gaussian(0, Tensor::w, 0), -0x1.852b90p-4F);
  EXPECT_EQ(counter_gaussian(0, Tensor::bias, 0), -0x1.6e8130p-1F);
  EXPECT_EQ(counter_gaussian(~0ULL, Tensor::w, 123456789), 0x1.022f0ep+0F);
}

TEST(Draw, OperandsMatchTheGoldenVectors) {
  const auto bf16 = draw_operands(parse_problem("2x1x4:bf16:bf16:bf16"), Recipe::gaussian, 7);
  EXPECT_EQ(bf16.a,
            bytes_of({0xad, 0x3f, 0x17, 0xbf, 0xb9, 0x3e, 0xda, 0xbf, 0x68, 0xbe, 0xb1, 0xbe, 0x25, 0x3f, 0x61, 0x3f}));
  const auto mx = draw_operands(parse_problem("1x1x40:a4w4"), Recipe::gaussian, 7);
  const auto codes = bytes_of({0xa3, 0x85, 0xeb, 0xb2, 0x8a, 0x1b, 0x59, 0x5c, 0xac, 0x9a,
                               0xa1, 0x1a, 0xa5, 0xce, 0x14, 0xa6, 0x5b, 0xe1, 0xef, 0x46});
  EXPECT_EQ(mx.w, codes);
  EXPECT_EQ(mx.w_scale, bytes_of({126, 125}));
  const auto wide = draw_operands(parse_problem("1x1x40:a4w4"), Recipe::wide_exponents, 7);
  EXPECT_EQ(wide.w, codes);
  EXPECT_EQ(wide.w_scale, bytes_of({131, 118}));
}

TEST(Draw, GaussiansHaveMeanZeroVarianceOneAndTheirBound) {
  double sum = 0;
  double squares = 0;
  constexpr int count = 200000;
  for (int i = 0; i < count; ++i) {
    const double value = counter_gaussian(3, Tensor::a, i);
    ASSERT_LT(std::fabs(value), 3.47);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(Draw, SizesAreThoseOfTheOperands) {
  for (const auto* text : {"3x5x34:a4w4", "3x5x130:a8w8_blockscale", "130x7x257:int8/row:int8/row:f16:bias:batch=3",
                           "4x6x9:f32:f32:f32:bias", "4x6x9:tf32:tf32:f32",
                           "4x6x9:e4m3/tensor:e4m3/tensor:bf16:batch=2", "2x3x5:f16:f16:f16"}) {
    const auto problem = parse_problem(text);
    const auto sizes = operand_sizes(problem);
    for (const Recipe recipe : all_recipes) {
      const auto operands = draw_operands(problem, recipe, 5);
      EXPECT_EQ(operands.a.size(), sizes.a) << text;
      EXPECT_EQ(operands.a_scale.size(), sizes.a_scale) << text;
      EXPECT_EQ(operands.w.size(), sizes.w) << text;
      EXPECT_EQ(operands.w_scale.size(), sizes.w_scale) << text;
      EXPECT_EQ(operands.bias.size(), sizes.bias) << text;
    }
  }
}

TEST(Draw, BatchesContinueTheCountAndAreScaledApart) {
  const auto problem = parse_problem("3x4x10:int8/tensor:int8/tensor:bf16:batch=2");
  const auto operands = draw_operands(problem, Recipe::gaussian, 9);
  std::vector<float> second(30);
  for (std::int64_t i = 0; i < 30; ++i) second[i] = counter_gaussian(9, Tensor::a, 30 + i);
  const auto expected = quantise(second, 3, 10, problem.a);
  EXPECT_EQ(std::vector(operands.a.begin() + 30, operands.a.end()), expected.values);
  EXPECT_EQ(std::vector(operands.a_scale.begin() + 4, operands.a_scale.end()), expected.scales);
}

TEST(Draw, OneSignIsTheMagnitudeAlsoOfTheBias) {
  const auto problem = parse_problem("8x64x96:f32:f32:f32:bias");
  const auto gaussian = draw_operands(problem, Recipe::gaussian, 1);
  const auto one_sign = draw_operands(problem, Recipe::one_sign, 1);
  for (std::int64_t i = 0; i < 64 * 96; ++i)
    ASSERT_EQ(load<float>(one_sign.w.data(), i), std::fabs(load<float>(gaussian.w.data(), i)));
  for (std::int64_t i = 0; i < 64; ++i) ASSERT_GE(load<float>(one_sign.bias.data(), i), 0.0F);
}

TEST(Draw, WideExponentsScaleWholeBlocksByPowersOfTwo) {
  const auto problem = parse_problem("1x64x100:f32:f32:f32");
  const auto gaussian = real_w(problem, draw_operands(problem, Recipe::gaussian, 2));
  const auto wide = real_w(problem, draw_operands(problem, Recipe::wide_exponents, 2));
  int smallest = 99;
  int largest = -99;
  for (std::int64_t i = 0; i < 64 * 100; ++i) {
    const std::int64_t block = i / 100 * 4 + i % 100 / 32;
    const int exponent = static_cast<int>(counter_bits(2, Tensor::w, block_stream + block) % 25) - 12;
    ASSERT_EQ(wide[i], std::ldexp(gaussian[i], exponent)) << i;
    smallest = std::min(smallest, exponent);
    largest = std::max(largest, exponent);
  }
  EXPECT_EQ(smallest, -12);
  EXPECT_EQ(largest, 12);
}

TEST(Draw, ZeroBlocksAreAQuarterWithOneRowOfSixteen) {
  const auto problem = parse_problem("1x160x3200:f32:f32:f32");
  const auto values = real_w(problem, draw_operands(problem, Recipe::zero_blocks, 3));
  std::int64_t zero_blocks = 0;
  std::int64_t zero_rows = 0;
  for (std::int64_t row = 0; row < 160; ++row) {
    std::int64_t here = 0;
    for (std::int64_t block = 0; block < 100; ++block) {
      const auto* first = values.data() + row * 3200 + block * 32;
      here += std::all_of(first, first + 32, [](float value) { return value == 0.0F; }) ? 1 : 0;
    }
    zero_rows += here == 100 ? 1 : 0;
    zero_blocks += here == 100 ? 0 : here;
  }
  EXPECT_EQ(zero_rows, 10);
  EXPECT_NEAR(static_cast<double>(zero_blocks) / (150 * 100), 0.25, 0.02);
}

TEST(Draw, NanScalesAreAFewAndTheRestIsGaussian) {
  const auto problem = parse_problem("64x70x96:a4w4");
  const auto gaussian = draw_operands(problem, Recipe::gaussian, 4);
  const auto spoilt = draw_operands(problem, Recipe::nan_scales, 4);
  EXPECT_EQ(spoilt.w, gaussian.w);
  const auto nans = [](const std::vector<std::byte>& scales) {
    return std::count(scales.begin(), scales.end(), std::byte{255});
  };
  EXPECT_EQ(nans(gaussian.w_scale) + nans(gaussian.a_scale), 0);
  EXPECT_GE(nans(spoilt.w_scale), 1);
  EXPECT_LE(nans(spoilt.w_scale), 3);
  EXPECT_GE(nans(spoilt.a_scale), 1);
  EXPECT_LE(nans(spoilt.a_scale), 2);
  const auto first = counter_bits(4, Tensor::w, row_stream);
  EXPECT_EQ(spoilt.w_scale[(first & 0xffffffffU) % 70 * 3 + (first >> 32) % 3], std::byte{255});
}

TEST(Draw, NanScalesWithoutMxAreGaussian) {
  const auto problem = parse_problem("8x8x64:a8w8");
  EXPECT_EQ(draw_operands(problem, Recipe::nan_scales, 6).w, draw_operands(problem, Recipe::gaussian, 6).w);
}

TEST(Draw, RecipesHaveNamesThatParseBack) {
  for (const Recipe recipe : all_recipes) EXPECT_EQ(parse_recipe(to_string(recipe)), recipe);
  EXPECT_FALSE(parse_recipe("zeros"));
}

}  // namespace
}  // namespace gemmtune
