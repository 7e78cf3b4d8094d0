#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gemmtune/gemm/numeric.h"
#include "gemmtune/kernels/small_m/bits.h"

namespace gemmtune {
namespace {

constexpr unsigned seed = 7;

/// The instruction prmt, as its documentation describes it: a selector's fourth bit spreads the byte's sign.
constexpr std::uint32_t pick(std::uint32_t low, std::uint32_t high, std::uint32_t selectors) {
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  std::uint32_t picked = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned selector = selectors >> (4 * i) & 15U;
    const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (selector & 7U)) & 255U);
    picked |= (selector < 8 ? byte : (byte & 128U) != 0 ? 255U : 0U) << (8 * i);
  }
  return picked;
}

float code_value(std::uint32_t word, unsigned i) {
  return e2m1_to_float(static_cast<std::uint8_t>(word >> (4 * i) & 15U));
}

float byte_value(std::uint32_t bytes, unsigned i) {
  return e4m3_to_float(static_cast<std::uint8_t>(bytes >> (8 * i) & 255U));
}

/// Checks words with one code among zeros, for every code at every place, and many random words.
template <typename Check>
void for_words(Check check) {
  for (std::uint32_t code = 0; code < 16; ++code)
    for (unsigned place = 0; place < 8; ++place) check(code << (4 * place));
  std::mt19937 random(seed);
  for (int i = 0; i < 10000; ++i) check(static_cast<std::uint32_t>(random()));
}

void expect_even_and_odd(std::uint32_t word, const E4M3Words& bytes) {
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_EQ(byte_value(bytes.first, i), std::ldexp(code_value(word, 2 * i), -6)) << std::hex << word;
    ASSERT_EQ(byte_value(bytes.second, i), std::ldexp(code_value(word, 2 * i + 1), -6)) << std::hex << word;
  }
}

void expect_in_order(std::uint32_t word, const E4M3Words& bytes, unsigned shift) {
  const int exponent = static_cast<int>(shift) - 5;
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_EQ(byte_value(bytes.first, i), std::ldexp(code_value(word, i), exponent)) << std::hex << word;
    ASSERT_EQ(byte_value(bytes.second, i), std::ldexp(code_value(word, i + 4), exponent)) << std::hex << word;
  }
}

TEST(SmallMBits, CodesMove) {
  for_words([](std::uint32_t word) { expect_even_and_odd(word, move_codes(word)); });
}

TEST(SmallMBits, PackedCodesMoveToTheSamePlaces) {
  for_words([](std::uint32_t word) {
    const auto plain = move_codes(word);
    const auto packed = unpack_moved(pack_to_move(word));
    ASSERT_EQ(packed.first, plain.first) << std::hex << word;
    ASSERT_EQ(packed.second, plain.second) << std::hex << word;
  });
}

TEST(SmallMBits, PackedCodesAreLookedUpWithTheirBlocksShift) {
  for (unsigned shift = 0; shift <= 11; ++shift)
    for_words([shift](std::uint32_t word) {
      expect_in_order(word, unpack_looked_up(pack_to_look_up(word), e4m3_magnitudes(shift), pick), shift);
    });
}

TEST(SmallMBits, PackedCodesAreFoundAgain) {
  for_words([](std::uint32_t word) {
    for (unsigned i = 0; i < 8; ++i) {
      ASSERT_EQ(packed_to_move(pack_to_move(word), i), word >> (4 * i) & 15U) << std::hex << word;
      ASSERT_EQ(packed_to_look_up(pack_to_look_up(word), i), word >> (4 * i) & 15U) << std::hex << word;
    }
  });
}

TEST(SmallMBits, AQuadHoldsEachOf32PlacesOnce) {
  for (const bool order : {false, true}) {
    std::uint32_t places = 0;
    for (int part = 0; part < 4; ++part)
      for (int i = 0; i < 8; ++i) places |= 1U << place_in_block(order, part, i);
    EXPECT_EQ(places, ~0U);
  }
}

/// With a shift that is larger by one, a magnitude of 6 would reach into the sign bit.
TEST(SmallMBits, ShiftsEndWhereE4m3Does) {
  EXPECT_EQ(byte_value(e4m3_magnitudes(11).high, 3), 384.0F);
  EXPECT_NE(byte_value(e4m3_magnitudes(12).high, 3), 768.0F);
}

}  // namespace
}  // namespace gemmtune
