#include "gemmtune/verify/dot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gemmtune/gemm/draw.h"

namespace gemmtune {
namespace {

std::vector<float> values(std::int64_t count, std::uint64_t seed) {
  std::vector<float> drawn(count);
  for (std::int64_t i = 0; i < count; ++i) drawn[i] = counter_gaussian(seed, Tensor::a, i);
  return drawn;
}

TEST(Dot, EqualsThePlainSumAtEveryLength) {
  for (std::int64_t count = 0; count < 70; ++count) {
    const auto a = values(count, 1);
    const auto w = values(count, 2);
    double expected = 0;
    for (std::int64_t i = 0; i < count; ++i) expected += static_cast<double>(a[i]) * w[i];
    EXPECT_NEAR(dot(a.data(), w.data(), count), expected, 1e-13) << count;
  }
}

TEST(Dot, FourRowsEqualOneRowFourTimesBitForBit) {
  for (const std::int64_t count : {1, 7, 8, 9, 31, 2048, 2051}) {
    const auto a = values(4 * count, 3);
    const auto w = values(count, 4);
    const auto four = dot4({&a[0], &a[count], &a[2 * count], &a[3 * count]}, w.data(), count);
    for (std::int64_t row = 0; row < 4; ++row) EXPECT_EQ(four[row], dot(&a[row * count], w.data(), count)) << count;
  }
}

TEST(Dot, SumsInDouble) {
  const std::vector<float> a{1e8F, 1.0F, -1e8F};
  const std::vector<float> w{1.0F, 0x1p-20F, 1.0F};
  EXPECT_EQ(dot(a.data(), w.data(), 3), 0x1p-20);
}

TEST(Dot, NanAnywhereIsNan) {
  for (const std::int64_t place : {0, 7, 8, 12}) {
    auto a = values(13, 5);
    const auto w = values(13, 6);
    a[place] = std::nanf("");
    EXPECT_TRUE(std::isnan(dot(a.data(), w.data(), 13))) << place;
  }
}

}  // namespace
}  // namespace gemmtune
