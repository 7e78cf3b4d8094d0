#include "gemmtune/kernels/wgmma_arguments.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace gemmtune {
namespace {

void expect_quotient(std::int32_t number, std::int32_t divisor) {
  EXPECT_EQ(wgmma_quotient(number, divisor, wgmma_reciprocal(divisor)), number / divisor) << number << " / " << divisor;
}

TEST(WgmmaQuotient, IsExact) {
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t divisor : {1, 2, 3, 7, 16, 1000, 65'535, 65'536, most / 2, most - 1, most})
    for (const std::int32_t number : {0, 1, divisor - 1, divisor, most / divisor * divisor, most - 1, most}) {
      expect_quotient(number, divisor);
      if (number > 0) expect_quotient(number - 1, divisor);
    }
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int32_t> any(0, most);
  for (int i = 0; i < 100'000; ++i) {
    const auto number = any(random);
    const auto divisor = (any(random) >> any(random) % 31) | 1;
    if (wgmma_quotient(number, divisor, wgmma_reciprocal(divisor)) != number / divisor)
      expect_quotient(number, divisor);
  }
}

}  // namespace
}  // namespace gemmtune
