#include "gemmtune/space/tie.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

Timing timing(double median_us, double half_width_us) {
  return {.median_us = median_us, .low_us = median_us - half_width_us, .high_us = median_us + half_width_us};
}

TEST(Tie, WithinHalfAPercentAlways) {
  EXPECT_TRUE(is_tied(timing(100, 0), timing(100.5, 0)));
  EXPECT_FALSE(is_tied(timing(100, 0), timing(100.6, 0)));
}

TEST(Tie, WithinTwoPercentWhenIntervalsOverlap) {
  EXPECT_TRUE(is_tied(timing(100, 1), timing(102, 1)));
  EXPECT_FALSE(is_tied(timing(100, 0.9), timing(102, 0.9)));
}

TEST(Tie, NeverBeyond) { EXPECT_FALSE(is_tied(timing(100, 50), timing(102.1, 50))); }

}  // namespace
}  // namespace gemmtune
