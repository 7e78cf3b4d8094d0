#include "gemmtune/gemm/draw.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "gemmtune/gemm/codec.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {
namespace {

constexpr auto all_recipes = {Recipe::gaussian,   Recipe::one_sign,  Recipe::wide_exponents, Recipe::zero_blocks,
                              Recipe::nan_scales, Recipe::wide_rows, Recipe::nan_inf};

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
  const auto far = draw_operands(parse_problem("1x1x40:a4w4"), Recipe::wide_rows, 7);
  EXPECT_EQ(far.w, codes);
  EXPECT_EQ(far.w_scale, bytes_of({110, 109}));
  const auto not_finite = draw_operands(parse_problem("1x3x2:bf16:bf16:bf16"), Recipe::nan_inf, 7);
  EXPECT_EQ(not_finite.w, bytes_of({0x80, 0x7f, 0xfd, 0xbe, 0xa5, 0x3f, 0x28, 0xbd, 0xc0, 0x7f, 0x17, 0xc0}));
}

TEST(Draw, WeightsInBlocksMatchTheGoldenVectors) {
  const auto nv = draw_operands(parse_problem("1x1x40:bf16:e2m1/1x16:bf16"), Recipe::gaussian, 7);
  EXPECT_EQ(nv.w, bytes_of({0xb4, 0x85, 0xfb, 0xc3, 0x8a, 0x1c, 0x6a, 0x6d, 0xad, 0x9a,
                            0xb1, 0x2b, 0xa6, 0xdf, 0x24, 0xb7, 0x5b, 0xf1, 0xff, 0x56}));
  EXPECT_EQ(nv.w_scale, bytes_of({0x7e, 0x7d, 0x78, 0x00, 0x2e, 0xde, 0x65, 0x3a}));
  const auto q4 = draw_operands(parse_problem("1x1x40:bf16/q8:int4/1x32f16:bf16"), Recipe::gaussian, 7);
  EXPECT_EQ(q4.w, bytes_of({0xe3, 0x04, 0x8e, 0xd2, 0x0f, 0x1e, 0x6f, 0x5c, 0xfd, 0xfe,
                            0xe1, 0x1e, 0xf5, 0xc8, 0x13, 0xe7, 0x4e, 0x90, 0x98, 0x47}));
  EXPECT_EQ(q4.w_scale, bytes_of({0xb7, 0x34, 0x44, 0x31}));
  const auto q8 = draw_operands(parse_problem("1x1x40:bf16/q8:int8/1x32f16:bf16"), Recipe::gaussian, 7);
  EXPECT_EQ(q8.w, bytes_of({0x2e, 0xe5, 0x45, 0xfe, 0xde, 0x81, 0x1e, 0xd3, 0xe9, 0xfc, 0xd8, 0x0e, 0xf0, 0x5a,
                            0xc5, 0x56, 0xcc, 0xe9, 0xe8, 0xf8, 0x0e, 0xe2, 0xe5, 0x12, 0x54, 0xe9, 0x87, 0xc5,
                            0x30, 0x11, 0x6e, 0xde, 0xdc, 0x42, 0x06, 0x8b, 0x81, 0x8d, 0x68, 0x39}));
  EXPECT_EQ(q8.w_scale, bytes_of({0xc0, 0x24, 0x4f, 0x21}));
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
  for (const auto* text :
       {"3x5x34:a4w4", "3x5x130:a8w8_blockscale", "130x7x257:int8/row:int8/row:f16:bias:batch=3",
        "4x6x9:f32:f32:f32:bias", "4x6x9:tf32:tf32:f32", "4x6x9:e4m3/tensor:e4m3/tensor:bf16:batch=2",
        "2x3x5:f16:f16:f16", "3x5x34:a8w4", "3x5x34:a16w4_nvfp4:batch=2", "3x5x34:a8wq4:batch=2", "3x5x35:a8wq8",
        "3x5x35:mxfp8:batch=2", "3x5x135:a16w8_blockscale", "3x130x135:e4m3/1x128e8m0:e4m3/128x128e8m0:f32:batch=2",
        "3x5x35:f16/fp8_row:e4m3/row:f16", "3x5x34:a16w4_fp8:batch=2", "3x70x35:e4m3/1x32:e4m3/32x32:bf16:batch=2"}) {
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

/// The bytes of some of a matrix's equal parts.
std::vector<std::byte> parts_of(const std::vector<std::byte>& whole, const std::vector<std::int64_t>& chosen,
                                std::int64_t count) {
  std::vector<std::byte> found;
  const auto size = static_cast<std::ptrdiff_t>(whole.size()) / count;
  for (const auto i : chosen) found.insert(found.end(), whole.begin() + i * size, whole.begin() + (i + 1) * size);
  return found;
}

TEST(Draw, RowsAreDrawnAloneAsTheyAreDrawnTogether) {
  const std::vector<std::int64_t> rows{0, 3, 41, 79};
  for (const char* text : {"40x8x256:bf16:bf16:bf16:batch=2:residual", "40x8x256:e4m3/1x128:e4m3/128x128:bf16:batch=2",
                           "40x8x256:e2m1/1x32:e2m1/1x32:bf16:batch=2", "40x8x256:int8/row:int8/row:bf16:batch=2"})
    for (const auto recipe : {Recipe::gaussian, Recipe::wide_rows, Recipe::one_sign, Recipe::wide_exponents}) {
      const auto problem = parse_problem(text);
      const auto whole = draw_operands(problem, recipe, 3);
      const auto some = draw_rows(problem, Tensor::a, recipe, 3, rows);
      EXPECT_EQ(some.values, parts_of(whole.a, rows, 80)) << text << to_string(recipe);
      EXPECT_EQ(some.scales, parts_of(whole.a_scale, rows, 80)) << text << to_string(recipe);
      if (problem.epilogue.residual) {
        EXPECT_EQ(draw_rows(problem, Tensor::residual, recipe, 3, rows).values, parts_of(whole.residual, rows, 80));
      }
    }
}

TEST(Draw, GroupsOfRowsThatShareScalesAreDrawnAlone) {
  const auto problem = parse_problem("4x300x256:e4m3/1x128:e4m3/128x128:bf16");
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 128; row < 300; ++row) rows.push_back(row);
  const auto whole = draw_operands(problem, Recipe::gaussian, 3);
  const auto some = draw_rows(problem, Tensor::w, Recipe::gaussian, 3, rows);
  EXPECT_EQ(some.values, parts_of(whole.w, rows, 300));
  EXPECT_EQ(some.scales, parts_of(whole.w_scale, {1, 2}, 3));
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

/// 2 · 70 rows are six groups with a scale for 32 of K each, and the third group of a matrix has six rows.
TEST(Draw, NanScalesOfThirtyTwoRowsAreOne) {
  const auto problem = parse_problem("64x70x96:e4m3/1x32:e4m3/32x32:bf16:batch=2");
  const auto gaussian = draw_operands(problem, Recipe::gaussian, 4);
  const auto spoilt = draw_operands(problem, Recipe::nan_scales, 4);
  ASSERT_EQ(spoilt.w_scale.size(), 18U);
  EXPECT_EQ(spoilt.w, gaussian.w);
  const auto first = counter_bits(4, Tensor::w, row_stream);
  const auto row = static_cast<std::int64_t>((first & 0xffffffffU) % 140);
  auto expected = gaussian.w_scale;
  expected[(row / 70 * 3 + row % 70 / 32) * 3 + static_cast<std::int64_t>((first >> 32) % 3)] = std::byte{255};
  EXPECT_EQ(spoilt.w_scale, expected);
}

TEST(Draw, NanScalesWithoutMxAreGaussian) {
  const auto problem = parse_problem("8x8x64:a8w8");
  EXPECT_EQ(draw_operands(problem, Recipe::nan_scales, 6).w, draw_operands(problem, Recipe::gaussian, 6).w);
}

TEST(Draw, WideRowsScaleWholeRowsByPowersOfTwo) {
  const auto problem = parse_problem("70x64x40:f32:f32:f32");
  const auto gaussian = real_w(problem, draw_operands(problem, Recipe::gaussian, 2));
  const auto wide = real_w(problem, draw_operands(problem, Recipe::wide_rows, 2));
  std::vector<int> exponents;
  for (std::int64_t row = 0; row < 64; ++row) {
    exponents.push_back(static_cast<int>(counter_bits(2, Tensor::w, group_stream + row) % 61) - 30);
    for (std::int64_t i = row * 40; i < row * 40 + 40; ++i)
      ASSERT_EQ(wide[i], std::ldexp(gaussian[i], exponents.back())) << i;
  }
  const auto [least, most] = std::ranges::minmax(exponents);
  EXPECT_LT(least, -25);
  EXPECT_GT(most, 25);
}

/// Both sides reach far up and far down in one seed or another, and their products stay in the range of floats.
class WideMxRows : public testing::TestWithParam<const char*> {};

TEST_P(WideMxRows, GoOverMostOfTheRangeOfScales) {
  const auto problem = parse_problem(fmt::format("400x400x64:{}", GetParam()));
  ASSERT_EQ(seeds_of(problem, Recipe::wide_rows), 3U);
  const int one = problem.a.type == DType::e2m1 ? 127 : 127 - 6;  // scales of E4M3 are that much smaller
  const auto range = [one](const std::vector<std::byte>& scales) {
    const auto [least, most] = std::ranges::minmax(scales);
    return std::pair(std::to_integer<int>(least) - one, std::to_integer<int>(most) - one);
  };
  std::pair<int, int> of_a{};
  std::pair<int, int> of_w{};
  for (const std::uint64_t seed : {6, 7, 8}) {
    const auto drawn = draw_operands(problem, Recipe::wide_rows, seed);
    const auto a = range(drawn.a_scale);
    const auto w = range(drawn.w_scale);
    EXPECT_GT(a.first + w.first, -110) << seed;
    EXPECT_LT(a.second + w.second, 110) << seed;
    of_a = {std::min(of_a.first, a.first), std::max(of_a.second, a.second)};
    of_w = {std::min(of_w.first, w.first), std::max(of_w.second, w.second)};
  }
  for (const auto& [least, most] : {of_a, of_w}) {
    EXPECT_LT(least, -100);
    EXPECT_GT(most, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Draw, WideMxRows, testing::Values("a4w4", "mxfp8"));

TEST(Draw, WideRowsThatShareScalesAreALittleApart) {
  const auto problem = parse_problem("1x300x256:e4m3/1x128:e4m3/128x128:bf16");
  const auto gaussian = draw_operands(problem, Recipe::gaussian, 2);
  const auto drawn = draw_operands(problem, Recipe::wide_rows, 2);
  std::vector<float> scales(drawn.w_scale.size() / sizeof(float));
  std::memcpy(scales.data(), drawn.w_scale.data(), drawn.w_scale.size());
  ASSERT_EQ(scales.size(), 6U);  // three groups of rows, two blocks of K
  EXPECT_GT(std::abs(std::ilogb(scales[0] / scales[2])) + std::abs(std::ilogb(scales[2] / scales[4])), 2);
  const auto spread = row_spread(problem, Tensor::w, 2);
  EXPECT_EQ(spread.rows_of_group, 128);
  EXPECT_EQ(spread.group(127), 0);
  EXPECT_EQ(spread.group(299), 2);
  EXPECT_EQ(spread.group(300), 3);
  const auto values = real_w(problem, drawn);
  const auto none_is_zero = [&](std::int64_t row) {
    return std::any_of(&values[row * 256], &values[row * 256] + 256, [](float value) { return value != 0; });
  };
  for (std::int64_t row = 0; row < 300; ++row) EXPECT_TRUE(none_is_zero(row)) << row;
}

TEST(Draw, WideRowsReachAsFarAsTheTypesHold) {
  const auto spread = [](const char* types, std::uint64_t seed = 4) {
    return row_spread(parse_problem(fmt::format("8x8x64:{}", types)), Tensor::a, seed);
  };
  EXPECT_EQ(spread("bf16:bf16:bf16").reach, 30);
  EXPECT_EQ(spread("f16:f16:f32").reach, 10);
  EXPECT_EQ(spread("f16:f16:f16").reach, 5);
  EXPECT_EQ(spread("int8/row:int8/row:bf16").reach, 30);
  EXPECT_EQ(spread("int8/row:int8/row:bf16").shift, 0);
  EXPECT_EQ(spread("e4m3/tensor:e4m3/row:bf16").shift, 20);
  EXPECT_EQ(spread("e4m3/tensor:e4m3/tensor:bf16").reach, 0);
  EXPECT_EQ(spread("e4m3/tensor:e4m3/tensor:bf16").depth, 8);
  EXPECT_EQ(spread("int8/tensor:int8/tensor:bf16").depth, 4);
  EXPECT_EQ(spread("a4w4").reach, 48);
  EXPECT_EQ(spread("a4w4", 3).shift, 0);
  EXPECT_EQ(spread("a4w4", 4).shift, 60);
  EXPECT_EQ(spread("a4w4", 5).shift, -60);
  EXPECT_EQ(spread("e4m3/1x32:e4m3/32x32:bf16").shift, 60);
  EXPECT_EQ(spread("bf16:e2m1/1x32:bf16").shift, 0);
  EXPECT_EQ(spread("bf16/q8:e2m1/1x32:bf16").reach, 30);
  EXPECT_EQ(spread("f16/q8:e2m1/1x32:bf16").reach, 10);
  EXPECT_EQ(spread("bf16/fp8_row:e2m1/1x32:bf16").reach, 30);
  EXPECT_EQ(spread("f16/fp8_row:e2m1/1x32:bf16").reach, 10);
  const auto of_w = [](const char* types) {
    return row_spread(parse_problem(fmt::format("8x8x64:{}", types)), Tensor::w, 4);
  };
  EXPECT_EQ(of_w("a8wq4").reach, 14);
  EXPECT_EQ(of_w("a8wq8").reach, 14);
  EXPECT_EQ(of_w("a8w4_nvfp4").reach, 0);
  EXPECT_EQ(of_w("a8w4_nvfp4").depth, 8);
  EXPECT_EQ(of_w("a8w4_nvfp4").shift, 0);
  EXPECT_EQ(of_w("e4m3/1x32:e4m3/32x32:bf16").reach, 48);
  EXPECT_EQ(of_w("e4m3/1x32:e4m3/32x32:bf16").depth, 8);
  EXPECT_EQ(of_w("e4m3/1x32:e4m3/32x32:bf16").rows_of_group, 32);
  EXPECT_EQ(of_w("mxfp8").depth, 0);
  EXPECT_EQ(row_spread(parse_problem("8x8x64:a4w4"), Tensor::w, 4).shift, -60);
  EXPECT_EQ(seeds_of(parse_problem("8x8x64:bf16:bf16:bf16"), Recipe::wide_rows), 1U);
  EXPECT_EQ(seeds_of(parse_problem("8x8x64:a4w4"), Recipe::zero_blocks), 1U);
}

template <typename Is>
std::set<std::int64_t> rows_with(const std::vector<float>& values, std::int64_t k, const Is& is) {
  std::set<std::int64_t> rows;
  for (std::int64_t i = 0; i < std::ssize(values); ++i)
    if (is(values[i])) rows.insert(i / k);
  return rows;
}

TEST(Draw, NanInfAreAFewElementsAndTheRestIsGaussian) {
  const auto is_nan = [](float value) { return std::isnan(value); };
  const auto is_infinite = [](float value) { return std::isinf(value); };
  for (const auto* text :
       {"64x70x96:bf16:bf16:bf16", "64x70x96:f16:f16:f32", "64x70x96:f32:f32:f32", "64x70x96:tf32:tf32:f32",
        "64x70x96:e4m3/row:e4m3/row:bf16", "64x70x96:e4m3fnuz/row:e4m3fnuz/row:bf16"}) {
    const auto problem = parse_problem(text);
    const bool has_infinity = problem.a.scaling == Scaling::none;
    const auto gaussian = real_w(problem, draw_operands(problem, Recipe::gaussian, 4));
    const auto spoilt = real_w(problem, draw_operands(problem, Recipe::nan_inf, 4));
    EXPECT_THAT(rows_with(spoilt, 96, is_nan).size(), testing::AllOf(testing::Ge(1U), testing::Le(3U))) << text;
    EXPECT_EQ(rows_with(spoilt, 96, is_infinite).empty(), !has_infinity) << text;
    std::int64_t changed = 0;
    for (std::size_t i = 0; i < spoilt.size(); ++i) changed += spoilt[i] != gaussian[i] ? 1 : 0;
    EXPECT_LE(changed, has_infinity ? 6 : 3) << text;
  }
  const auto first = counter_bits(4, Tensor::w, row_stream);
  const auto spoilt = draw_operands(parse_problem("64x70x96:f32:f32:f32"), Recipe::nan_inf, 4);
  EXPECT_TRUE(std::isnan(
      load<float>(spoilt.w.data(), static_cast<std::int64_t>((first & 0xffffffffU) % 70 * 96 + (first >> 32) % 96))));
}

TEST(Draw, NanInfLeavesOneRowAndWhatTypesAndActivationsLack) {
  const auto of_a = [](const char* text) { return spoiled_elements(parse_problem(text), Tensor::a, Recipe::nan_inf); };
  EXPECT_EQ(of_a("1x8x8:bf16:bf16:bf16"), SpoiledElements{});
  EXPECT_EQ(of_a("2x8x8:bf16:bf16:bf16"), (SpoiledElements{1, 0}));
  EXPECT_EQ(of_a("3x8x8:bf16:bf16:bf16"), (SpoiledElements{1, 1}));
  EXPECT_EQ(of_a("65x8x8:bf16:bf16:bf16"), (SpoiledElements{3, 3}));
  EXPECT_EQ(of_a("65x8x8:bf16:bf16:bf16:relu"), (SpoiledElements{3, 3}));
  EXPECT_EQ(of_a("65x8x8:bf16:bf16:bf16:silu"), (SpoiledElements{3, 0}));
  EXPECT_EQ(of_a("65x8x8:e4m3/row:e4m3/row:bf16"), (SpoiledElements{3, 0}));
  EXPECT_EQ(of_a("65x8x8:int8/row:int8/row:bf16"), SpoiledElements{});
  EXPECT_EQ(of_a("65x8x64:a4w4"), SpoiledElements{});
}

TEST(Draw, RecipesThatChangeNothingAreKnown) {
  const auto differs = [](const char* types, Recipe recipe) {
    return differs_from_gaussian(parse_problem(fmt::format("8x8x64:{}", types)), recipe);
  };
  EXPECT_TRUE(differs("bf16:e2m1/1x32:bf16", Recipe::nan_inf));
  EXPECT_TRUE(differs("bf16:e2m1/1x32:bf16", Recipe::nan_scales));
  EXPECT_FALSE(differs("a4w4", Recipe::nan_inf));
  EXPECT_FALSE(differs("int8/row:int8/row:bf16", Recipe::nan_inf));
  EXPECT_FALSE(differs("bf16:bf16:bf16", Recipe::nan_scales));
  EXPECT_TRUE(differs("bf16:bf16:bf16", Recipe::wide_rows));
}

TEST(Draw, RecipesHaveNamesThatParseBack) {
  for (const Recipe recipe : all_recipes) EXPECT_EQ(parse_recipe(to_string(recipe)), recipe);
  EXPECT_FALSE(parse_recipe("zeros"));
}

}  // namespace
}  // namespace gemmtune
