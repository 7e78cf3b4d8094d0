// Weights are packed by the functions that the kernels use, and decoded as the kernel that multiplies does it.
#include "gemmtune/kernels/w4/w4_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "gemmtune/gemm/e8m0.h"
#include "gemmtune/gemm/numeric.h"

namespace gemmtune {
namespace {

constexpr unsigned seed = 11;
constexpr int rows = w4_brick_rows;
constexpr int columns = w4_brick_k;

float of_bf16(std::uint32_t bits) { return std::bit_cast<float>((bits & 0xffffU) << 16); }

bool is_bf16(float value) { return (std::bit_cast<std::uint32_t>(value) & 0xffffU) == 0; }

/// A brick's weights in E2M1, row-major, a byte each, and a scale byte for each block.
struct Weights {
  int scale_k{32};
  std::vector<std::uint8_t> codes = std::vector<std::uint8_t>(rows * columns);
  std::vector<std::uint8_t> scales = std::vector<std::uint8_t>(std::size_t{rows} * columns / 16);

  int blocks() const { return columns / scale_k; }
  std::uint8_t code(int row, int k) const { return codes[row * columns + k]; }
  std::uint8_t& scale(int row, int block) { return scales[row * blocks() + block]; }
  std::uint8_t scale(int row, int block) const { return scales[row * blocks() + block]; }
};

Weights random_weights(int scale_k, const std::function<std::uint8_t(unsigned)>& scale_of) {
  Weights weights{.scale_k = scale_k};
  std::mt19937 random(seed);
  for (auto& code : weights.codes) code = random() % 16;
  for (auto& scale : weights.scales) scale = scale_of(static_cast<unsigned>(random()));
  return weights;
}

void store_word(std::vector<std::uint8_t>& brick, int at, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) brick[at + i] = static_cast<std::uint8_t>(word >> (8 * i));
}

std::uint32_t word_at(const std::vector<std::uint8_t>& brick, int at) {
  std::uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | brick[at + i];
  return word;
}

/// `scale_byte(row, block)` is what a brick has for a block.
std::vector<std::uint8_t> packed(const Weights& weights, const std::function<std::uint32_t(int, int)>& scale_byte) {
  std::vector<std::uint8_t> brick(w4_brick_bytes(weights.scale_k));
  for (int thread = 0; thread < 128; ++thread)
    for (int step = 0; step < 8; ++step)
      store_word(brick, w4_word_at(thread, step),
                 w4_pack(thread, step, [&](int row, int k) { return std::uint32_t{weights.code(row, k)}; }));
  for (int row = 0; row < rows; ++row)
    for (int block = 0; block < weights.blocks(); ++block)
      brick[w4_scale_at(row, block)] = static_cast<std::uint8_t>(scale_byte(row, block));
  return brick;
}

/// One register of wgmma's first operand: thread `thread`'s register j of step `step`, as w4_multiply.cu computes it.
struct Register {
  float low{};
  float high{};
};

Register decoded(const std::vector<std::uint8_t>& brick, int scale_k, int thread, int step, int j) {
  const int half = step / 4;
  const int scales = w4_codes_bytes + (scale_k == 16 ? half * 256 : 0) + thread / 4 * 8 + j % 2 * 4;
  const int byte = scale_k == 32 ? half * 2 + step % 4 / 2 : step % 4;
  const std::uint32_t both = brick[scales + byte] * 0x10001U;
  const std::uint32_t factors = scale_k == 32 ? mx_factors(both) : nv_factors(both);
  const std::uint32_t pair = w4_pair(word_at(brick, w4_word_at(thread, step)), j);
  return {of_bf16(pair) * of_bf16(factors), of_bf16(pair >> 16) * of_bf16(factors >> 16)};
}

/// The row and column of a register's lower element, from the PTX ISA's figure of wgmma's matrix A for .bf16.
W4Place place_of(int thread, int step, int j) {
  const int warp = thread / 32;
  const int group = thread % 32 / 4;
  const int in_group = thread % 4;
  return {16 * warp + group + (j == 1 || j == 3 ? 8 : 0), 16 * step + 2 * in_group + (j >= 2 ? 8 : 0)};
}

/// Calls check(row, k, value) for each weight that a brick's registers have.
void for_decoded(const std::vector<std::uint8_t>& brick, int scale_k,
                 const std::function<void(int, int, float)>& check) {
  for (int thread = 0; thread < 128; ++thread)
    for (int step = 0; step < 8; ++step)
      for (int j = 0; j < 4; ++j) {
        const auto [row, k] = place_of(thread, step, j);
        const auto [low, high] = decoded(brick, scale_k, thread, step, j);
        check(row, k, low);
        check(row, k + 1, high);
      }
}

TEST(W4Bits, AWordIsMadeOfEightCodesAndFallsApartAgain) {
  for (std::uint32_t code = 0; code < 16; ++code)
    for (int i = 0; i < 8; ++i)
      for (const std::uint32_t others : {0U, 15U}) {
        std::uint32_t word = w4_bits(code, i);
        for (int other = 0; other < 8; ++other)
          if (other != i) word |= w4_bits(others, other);
        const std::uint32_t pair = w4_pair(word, i / 2);
        const float value = of_bf16(i % 2 == 0 ? pair : pair >> 16);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(value),
                  std::bit_cast<std::uint32_t>(std::ldexp(e2m1_to_float(static_cast<std::uint8_t>(code)), -126)))
            << "code " << code << " at " << i;
      }
}

TEST(W4Bits, ABrickHasEachCodeAndEachScaleOnce) {
  std::set<std::pair<int, int>> places;
  std::set<int> words;
  for (int thread = 0; thread < 128; ++thread)
    for (int step = 0; step < 8; ++step) {
      words.insert(w4_word_at(thread, step));
      for (int i = 0; i < 8; ++i) places.emplace(w4_place(thread, step, i).row, w4_place(thread, step, i).k);
    }
  EXPECT_EQ(places.size(), 64U * 128U);
  EXPECT_EQ(words.size(), 1024U);
  EXPECT_EQ(*words.rbegin(), w4_codes_bytes - 4);
  for (const int scale_k : {32, 16}) {
    std::set<int> scales;
    for (int row = 0; row < rows; ++row)
      for (int block = 0; block < columns / scale_k; ++block) scales.insert(w4_scale_at(row, block));
    EXPECT_EQ(scales.size(), static_cast<std::size_t>(rows * columns / scale_k));
    EXPECT_EQ(*scales.begin(), w4_codes_bytes);
    EXPECT_EQ(*scales.rbegin(), w4_brick_bytes(scale_k) - 1);
  }
}

/// Over all scales from 2^-127 on, in rows with and without a base.
TEST(W4Bits, MxWeightsComeBackBitForBit) {
  for (const int highest : {0, 1, 60, 127, 128, 129, 190, 254}) {
    const int lowest = std::max(mx_lowest(highest), highest - 140);
    const auto weights = random_weights(32, [&](unsigned drawn) {
      return static_cast<std::uint8_t>(lowest + static_cast<int>(drawn % (highest - lowest + 1)));
    });
    const auto brick =
        packed(weights, [&](int row, int block) { return mx_scale_byte(weights.scale(row, block), highest); });
    for_decoded(brick, 32, [&](int row, int k, float value) {
      const double expected = static_cast<double>(e2m1_to_float(weights.code(row, k))) *
                              std::ldexp(1.0, weights.scale(row, k / 32) - 127 - mx_base_exponent(highest));
      ASSERT_EQ(static_cast<double>(value), expected) << highest << ": " << row << ", " << k;
      ASSERT_TRUE(is_bf16(value));
      ASSERT_EQ(std::signbit(value), std::signbit(expected));
    });
  }
}

TEST(W4Bits, MxFactorsAreFiniteAndTheNextLowerScaleWouldNotBeExact) {
  for (int highest = 0; highest <= 254; ++highest) {
    EXPECT_LE(mx_scale_byte(highest, highest), 254U);
    EXPECT_GE(mx_scale_byte(mx_lowest(highest), highest), 1U);
    const int base = mx_base_exponent(highest);
    EXPECT_LE(base, 126) << "a float holds it";
    EXPECT_TRUE(base > 0 || mx_lowest(highest) == 0);
    if (mx_lowest(highest) > 0) {
      EXPECT_EQ(highest - mx_lowest(highest), mx_most_binades);
      EXPECT_FALSE(is_bf16(std::ldexp(0.5F, mx_lowest(highest) - 1 - 127 - base)));
    }
  }
}

TEST(W4Bits, NvWeightsComeBackBitForBit) {
  const auto weights =
      random_weights(16, [](unsigned drawn) { return static_cast<std::uint8_t>(1 + drawn % 126); });  // no zero, no NaN
  const auto brick = packed(weights, [&](int row, int block) { return nv_scale_byte(weights.scale(row, block)); });
  for_decoded(brick, 16, [&](int row, int k, float value) {
    const float expected = e2m1_to_float(weights.code(row, k)) * e4m3_to_float(weights.scale(row, k / 16)) / nv_base;
    ASSERT_EQ(value, expected) << row << ", " << k;
    ASSERT_TRUE(is_bf16(value));
  });
}

TEST(W4Bits, EveryE4m3MagnitudeHasItsFactor) {
  for (std::uint32_t magnitude = 1; magnitude < 127; ++magnitude) {
    ASSERT_LE(nv_scale_byte(magnitude), 255U);
    const float factor = of_bf16(nv_factors(nv_scale_byte(magnitude)));
    ASSERT_EQ(factor, std::ldexp(e4m3_to_float(static_cast<std::uint8_t>(magnitude)), 117)) << magnitude;
  }
}

}  // namespace
}  // namespace gemmtune
