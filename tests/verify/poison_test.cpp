#include "gemmtune/verify/poison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "gemmtune/gemm/element_codecs.h"

namespace gemmtune {
namespace {

std::set<std::uint16_t> drawn_patterns() {
  std::mt19937_64 random(5);
  std::set<std::uint16_t> patterns;
  for (int i = 0; i < 10'000; ++i) patterns.insert(draw_poison(random()).pattern);
  return patterns;
}

TEST(Poison, IsANanOfEveryOutputType) {
  for (const unsigned pattern : drawn_patterns()) {
    EXPECT_TRUE(std::isnan(Bf16Codec::decode(static_cast<std::uint16_t>(pattern)))) << pattern;
    EXPECT_TRUE(std::isnan(F16Codec::decode(static_cast<std::uint16_t>(pattern)))) << pattern;
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(pattern * 0x10001U))) << pattern;
  }
}

TEST(Poison, IsOneOfManyAndNoNanThatArithmeticProduces) {
  const auto patterns = drawn_patterns();
  EXPECT_EQ(patterns.size(), 124U);
  for (const int produced : {0x7fff, 0xffff, 0x7fc0, 0xffc0, 0x7e00, 0xfe00, 0x7f80, 0xff80})
    EXPECT_FALSE(patterns.contains(static_cast<std::uint16_t>(produced))) << produced;
}

TEST(Poison, IsToldFromOtherPoison) {
  const Poison poison{0xffc7};
  EXPECT_TRUE(poison.is(std::uint16_t{0xffc7}));
  EXPECT_TRUE(poison.is(0xffc7ffc7U));
  EXPECT_FALSE(poison.is(std::uint16_t{0xfff5}));
  EXPECT_FALSE(poison.is(0xffc7fff5U));
}

}  // namespace
}  // namespace gemmtune
