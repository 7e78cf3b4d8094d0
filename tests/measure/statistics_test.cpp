#include "gemmtune/measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/measure/invented_samples.h"

namespace gemmtune {
namespace {

using invented::Noise;
using invented::samples;

TEST(Median, NoSamplesNoAnswer) {
  EXPECT_FALSE(median({}));
  EXPECT_FALSE(quantile({}, 0.5));
  EXPECT_FALSE(relative_dispersion({}));
  EXPECT_FALSE(median_interval({}));
}

TEST(Median, MiddleOrMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(*median(std::vector{7.0}), 7);
  EXPECT_EQ(*median(std::vector{9.0, 1.0, 5.0}), 5);
  EXPECT_EQ(*median(std::vector{9.0, 1.0, 5.0, 6.0}), 5.5);
}

TEST(Quantile, IsLinearBetweenOrderStatistics) {
  const std::vector<double> values{40, 10, 20, 30, 50};
  EXPECT_EQ(*quantile(values, 0), 10);
  EXPECT_EQ(*quantile(values, 1), 50);
  EXPECT_EQ(*quantile(values, 0.25), 20);
  EXPECT_DOUBLE_EQ(*quantile(values, 0.1), 14);
}

TEST(Dispersion, IsTheStandardDeviationOfNormalNoise) {
  Noise noise(1);
  const auto drawn = samples(20000, [&] { return noise.normal(50, 0.03); });
  EXPECT_NEAR(*relative_dispersion(drawn), 0.03, 0.001);
}

TEST(Dispersion, OutliersDoNotMoveIt) {
  Noise noise(2);
  const auto drawn = samples(20000, [&] { return noise.chance(0.05) ? 5000.0 : noise.normal(50, 0.03); });
  EXPECT_NEAR(*relative_dispersion(drawn), 0.03, 0.004);
}

TEST(Dispersion, HasNoAnswerAroundZero) { EXPECT_FALSE(relative_dispersion(std::vector{0.0, 0.0, 1.0})); }

TEST(MedianInterval, IsTheWholeRangeOfFewerThanSix) {
  for (std::size_t n = 1; n < 6; ++n) {
    Noise noise(n);
    const auto drawn = samples(n, [&] { return noise.normal(10, 0.2); });
    const auto interval = *median_interval(drawn);
    EXPECT_EQ(interval.low, *std::min_element(drawn.begin(), drawn.end()));
    EXPECT_EQ(interval.high, *std::max_element(drawn.begin(), drawn.end()));
  }
}

// Ranks from tables of the sign test: n = 9 leaves out 1 at each end, 25 leaves out 7, 101 leaves out 40.
TEST(MedianInterval, LeavesOutTheRanksOfTheSignTest) {
  const auto ranks = [](std::size_t n) {
    std::vector<double> ladder(n);
    for (std::size_t i = 0; i < n; ++i) ladder[i] = static_cast<double>(i);
    return median_interval(ladder)->low;
  };
  EXPECT_EQ(ranks(6), 0);
  EXPECT_EQ(ranks(9), 1);
  EXPECT_EQ(ranks(25), 7);
  EXPECT_EQ(ranks(101), 40);
}

TEST(MedianInterval, WidensWithConfidenceAndHoldsForThousands) {
  Noise noise(3);
  const auto drawn = samples(5000, [&] { return noise.skewed(10, 2); });
  const auto narrow = *median_interval(drawn, 0.5);
  const auto wide = *median_interval(drawn, 0.99);
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
  EXPECT_LT(wide.high - wide.low, 0.3);
}

/// Share of 2000 experiments whose interval covers the true median.
double coverage(std::size_t n, double truth, const std::function<double()>& draw) {
  int covered = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto interval = *median_interval(samples(n, draw));
    covered += interval.low <= truth && truth <= interval.high;
  }
  return covered / 2000.0;
}

class Coverage : public testing::TestWithParam<std::size_t> {};

TEST_P(Coverage, IsAtLeastWhatWasAskedUnderAnyNoise) {
  const auto n = GetParam();
  Noise noise(n);
  SCOPED_TRACE(testing::Message() << "seed " << n);
  const double sampling_error = 0.015;
  EXPECT_GE(coverage(n, 50, [&] { return noise.normal(50, 0.1); }), 0.95 - sampling_error);
  EXPECT_GE(coverage(n, 10 + 2 * std::log(2.0), [&] { return noise.skewed(10, 2); }), 0.95 - sampling_error);
  // Two modes, the lower taken three times in five: five sixths up in it is the median.
  const auto bimodal = [&] { return noise.chance(0.6) ? noise.uniform(10, 11) : 20.0; };
  EXPECT_GE(coverage(n, 10 + 0.5 / 0.6, bimodal), 0.95 - sampling_error);
}

INSTANTIATE_TEST_SUITE_P(Counts, Coverage, testing::Values(6, 7, 11, 30, 101));

}  // namespace
}  // namespace gemmtune
