// Weights are packed by the functions that the kernels use, and decoded as the kernel that multiplies does it.
#include "gemmtune/kernels/w4/w4_fp8_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "gemmtune/gemm/e8m0.h"
#include "gemmtune/gemm/numeric.h"

namespace gemmtune {
namespace {

constexpr unsigned seed = 12;
constexpr int rows = w4_brick_rows;
constexpr int columns = w4_brick_k;
constexpr int blocks = columns / 32;

using Brick = std::vector<std::uint8_t>;

/// A brick's weights in E2M1, row-major, a byte each, and the E8M0 byte of each block.
struct Weights {
  std::vector<std::uint8_t> codes = std::vector<std::uint8_t>(rows * columns);
  std::vector<std::uint8_t> scales = std::vector<std::uint8_t>(rows * blocks);

  std::uint8_t code(int row, int k) const { return codes[row * columns + k]; }
  int scale(int row, int block) const { return scales[row * blocks + block]; }
  int highest(int row) const { return *std::max_element(&scales[row * blocks], &scales[row * blocks] + blocks); }

  /// Relative to the base of a row whose largest scale is `of_row`.
  double value(int row, int k, int of_row) const {
    return std::ldexp(e2m1_to_float(code(row, k)), scale(row, k / 32) - 127 - fp8_base_exponent(of_row));
  }
};

/// Each row's scales lie between `highest` and fp8_most_binades below it, or 0, and both ends occur.
Weights random_weights(int highest) {
  Weights weights;
  std::mt19937 random(seed);
  for (auto& code : weights.codes) code = random() % 16;
  const int range = std::min(highest, fp8_most_binades);
  for (int row = 0; row < rows; ++row)
    for (int block = 0; block < blocks; ++block) {
      const auto below = block == row % 4         ? 0U
                         : block == (row + 1) % 4 ? range
                                                  : static_cast<unsigned>(random()) % (range + 1);
      weights.scales[row * blocks + block] = static_cast<std::uint8_t>(highest - below);
    }
  return weights;
}

void store(Brick& brick, int at, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) brick[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t word_at(const Brick& brick, int at) {
  std::uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | brick[at + i];
  return word;
}

/// As w4_pack.cu packs it. `of_row` is the largest scale of each row, of which the brick is a part.
Brick packed(const Weights& weights, int of_row) {
  Brick brick(w4_brick_bytes(32));
  for (int thread = 0; thread < 128; ++thread)
    for (int word = 0; word < 8; ++word)
      store(brick, w4_word_at(thread, word),
            w4_fp8_pack(thread, word, [&](int row, int k) { return std::uint32_t{weights.code(row, k)}; }), 4);
  for (int row = 0; row < rows; ++row) {
    const int highest = weights.highest(row);
    for (int block = 0; block < blocks; ++block) {
      auto& both = brick[w4_fp8_shift_at(row, block)];
      const int shift = fp8_shift(weights.scale(row, block), highest);
      both = static_cast<std::uint8_t>(row % 16 < 8 ? shift : both | shift << 4);
    }
    store(brick, w4_fp8_factor_at(row), fp8_factor(highest, of_row), 2);
  }
  return brick;
}

/// The prmt instruction, as far as it copies bytes.
std::uint32_t pick(std::uint32_t low, std::uint32_t high, std::uint32_t selectors) {
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  std::uint32_t picked = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t selector = selectors >> (4 * i) & 15U;
    EXPECT_LT(selector, 8U) << "would copy a sign";
    picked |= static_cast<std::uint32_t>(bytes >> (8 * selector) & 255U) << (8 * i);
  }
  return picked;
}

/// What a thread has of wgmma's first operand for 32 of K, and the factors of its two rows: as in w4_fp8.cuh.
struct Fragment {
  std::array<std::uint32_t, 4> registers{};
  std::array<float, 2> factors{};
};

Fragment expanded(const Brick& brick, int thread, int step) {
  const int scales = w4_codes_bytes + thread / 4 * 8;
  const std::uint32_t both = word_at(brick, scales);
  const std::uint32_t factors = word_at(brick, scales + 4);
  Fragment fragment{.factors = {std::bit_cast<float>(w4_fp8_first_factor(factors)),
                                std::bit_cast<float>(w4_fp8_second_factor(factors))}};
  for (int row = 0; row < 2; ++row) {
    const std::uint32_t shifts = row == 0 ? w4_fp8_first_shifts(both) : w4_fp8_second_shifts(both);
    const auto table = e4m3_magnitudes(shifts >> (8 * step) & 255U);
    const auto words =
        unpack_looked_up(word_at(brick, thread * 16 + step / 2 * 2048 + (step % 2 * 2 + row) * 4), table, pick);
    fragment.registers[row] = words.first;
    fragment.registers[row + 2] = words.second;
  }
  return fragment;
}

/// The place of byte i of register j, from the PTX ISA's figure of wgmma's matrix A for .e4m3: elements a0 … a15 of a
/// thread, four to a register.
W4Place place_of(int thread, int step, int j, int i) {
  const int element = 4 * j + i;
  const int group = thread % 32 / 4;
  const bool upper = element < 4 || (element >= 8 && element < 12);
  return {thread / 32 * 16 + group + (upper ? 0 : 8),
          step * 32 + thread % 4 * 4 + element % 4 + (element < 8 ? 0 : 16)};
}

TEST(W4Fp8Bits, ABrickHasEachCodeEachShiftAndEachFactorOnce) {
  std::set<std::pair<int, int>> places;
  for (int thread = 0; thread < 128; ++thread)
    for (int word = 0; word < 8; ++word)
      for (int i = 0; i < 8; ++i) places.emplace(w4_fp8_place(thread, word, i).row, w4_fp8_place(thread, word, i).k);
  EXPECT_EQ(places.size(), 64U * 128U);
  std::set<std::pair<int, int>> nibbles;
  for (int row = 0; row < rows; ++row) {
    for (int block = 0; block < blocks; ++block) nibbles.emplace(w4_fp8_shift_at(row, block), row % 16 / 8);
    for (int i = 0; i < 4; ++i) nibbles.emplace(w4_fp8_factor_at(row) + i / 2, i % 2);
  }
  EXPECT_EQ(nibbles.size(), std::size_t{64} * 8);
  EXPECT_EQ(nibbles.begin()->first, w4_codes_bytes);
  EXPECT_EQ(nibbles.rbegin()->first, w4_brick_bytes(32) - 1);
}

/// Over all scales, in bricks whose row has larger ones elsewhere and in bricks whose row has not.
TEST(W4Fp8Bits, WeightsComeBackBitForBit) {
  for (const int of_row : {0, 1, 6, 7, 8, 60, 127, 128, 190, 254})
    for (const int highest : {of_row, std::max(of_row - 3, 0), std::max(fp8_lowest(of_row), of_row - 140)}) {
      const auto weights = random_weights(highest);
      const auto brick = packed(weights, of_row);
      for (int thread = 0; thread < 128; ++thread)
        for (int step = 0; step < blocks; ++step) {
          const auto [registers, factors] = expanded(brick, thread, step);
          for (int j = 0; j < 4; ++j)
            for (int i = 0; i < 4; ++i) {
              const auto [row, k] = place_of(thread, step, j, i);
              const auto stored = e4m3_to_float(static_cast<std::uint8_t>(registers[j] >> (8 * i)));
              const double value = static_cast<double>(stored) * static_cast<double>(factors[j % 2]);
              ASSERT_EQ(value, weights.value(row, k, of_row)) << of_row << ", " << highest << ": " << row << ", " << k;
              ASSERT_EQ(std::signbit(stored), weights.code(row, k) >= 8);
            }
        }
    }
}

TEST(W4Fp8Bits, AllMagnitudesOfAllShiftsAreNormalNumbersOfE4m3) {
  for (int shift = 0; shift <= fp8_most_binades; ++shift) {
    const auto [low, high] = e4m3_magnitudes(shift);
    for (int code = 0; code < 8; ++code) {
      const auto byte = static_cast<std::uint8_t>((code < 4 ? low : high) >> (code % 4 * 8));
      EXPECT_EQ(e4m3_to_float(byte), std::ldexp(e2m1_to_float(static_cast<std::uint8_t>(code)), shift - 5));
    }
  }
  EXPECT_EQ(fp8_shift(100, 100), fp8_most_binades);
  EXPECT_EQ(fp8_shift(100 - fp8_most_binades, 100), 0);
  EXPECT_GT(std::ldexp(6.0, fp8_most_binades + 1 - 5), 448) << "one more would be too large";
}

/// A row's base and each factor are normal floats, and bf16 has the factors. The next lower one would be none.
TEST(W4Fp8Bits, FactorsAreNormalNumbers) {
  for (int of_row = 0; of_row <= 254; ++of_row) {
    EXPECT_GE(fp8_base_exponent(of_row), -126);
    EXPECT_LE(fp8_base_exponent(of_row), 127);
    for (int highest = fp8_lowest(of_row); highest <= of_row; ++highest) {
      const auto factor = std::bit_cast<float>(fp8_factor(highest, of_row) << 16);
      ASSERT_TRUE(std::isnormal(factor)) << of_row << ", " << highest;
      ASSERT_LE(factor, 1);
      ASSERT_EQ(std::ldexp(static_cast<double>(factor), fp8_base_exponent(of_row)), std::ldexp(1.0, highest - 133));
    }
    if (fp8_lowest(of_row) > 0) {
      EXPECT_EQ(of_row - fp8_lowest(of_row), fp8_most_factor_binades);
    }
  }
}

}  // namespace
}  // namespace gemmtune
