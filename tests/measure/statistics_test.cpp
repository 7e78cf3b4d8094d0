#include "gemmtune/measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/measure/invented_samples.h"

namespace gemmtune {
namespace {

using invented::independent;
using invented::Noise;
using invented::samples;
using invented::Turns;

TEST(Median, NoSamplesNoAnswer) {
  EXPECT_FALSE(median({}));
  EXPECT_FALSE(quantile({}, 0.5));
  EXPECT_FALSE(relative_dispersion({}));
  EXPECT_FALSE(median_interval(Samples{}));
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

TEST(MedianInterval, IsWiderThanTheRangeOfFewerThanSix) {
  for (std::size_t n = 2; n < 6; ++n) {
    Noise noise(n);
    const auto drawn = samples(n, [&] { return noise.normal(10, 0.2); });
    const auto interval = *median_interval(independent(drawn));
    EXPECT_LT(interval.low, *std::min_element(drawn.begin(), drawn.end()));
    EXPECT_GT(interval.high, *std::max_element(drawn.begin(), drawn.end()));
  }
  const auto of_two = *median_interval(independent({10, 12}));
  EXPECT_NEAR(of_two.low, 11 - 12.71, 1e-9) << "Student's t with one degree of freedom";
  EXPECT_NEAR(of_two.high, 11 + 12.71, 1e-9);
}

TEST(MedianInterval, OfOneTurnIsAsWideAsThatOfOneSample) {
  const double reach = 1.96 * deviation_of_one_turn;
  for (const auto& samples :
       {Samples{.us = {7}}, Samples{.us = {7}, .turns = {1}}, Samples{.us = {7, 7, 7, 7, 7, 7, 7}},
        Samples{.us = {7, 7, 7, 7, 7, 7, 7}, .turns = {7}}}) {
    const auto interval = *median_interval(samples);
    EXPECT_NEAR(interval.low, 7 * (1 - reach), 1e-4);
    EXPECT_NEAR(interval.high, 7 * (1 + reach), 1e-4);
  }
  const auto scattered = *median_interval({.us = {6, 7, 8, 6, 7, 8, 7}});
  EXPECT_LT(scattered.low, 6) << "what the turn shows is added to what it cannot show";
}

TEST(MedianInterval, OfTwoTurnsThatAgreeIsNarrow) {
  EXPECT_LT(median_interval({.us = {7, 7.01, 7.02, 7.01, 7.02, 7}, .turns = {3, 3}})->high, 7.03);
  EXPECT_GT(median_interval({.us = {7, 7.01, 7.02, 7.1, 7.11, 7.12}, .turns = {3, 3}})->high, 7.5) << "these do not";
}

// Ranks from tables of the sign test: n = 9 leaves out 1 at each end, 25 leaves out 7, 101 leaves out 40.
TEST(MedianInterval, LeavesOutTheRanksOfTheSignTest) {
  const auto ranks = [](std::size_t n) {
    std::vector<double> ladder(n);
    for (std::size_t i = 0; i < n; ++i) ladder[i] = static_cast<double>(i);
    return median_interval(independent(ladder))->low;
  };
  EXPECT_EQ(ranks(6), 0);
  EXPECT_EQ(ranks(9), 1);
  EXPECT_EQ(ranks(25), 7);
  EXPECT_EQ(ranks(101), 40);
}

TEST(MedianInterval, WidensWithConfidenceAndHoldsForThousands) {
  Noise noise(3);
  const auto drawn = independent(samples(5000, [&] { return noise.skewed(10, 2); }));
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
    const auto interval = *median_interval(independent(samples(n, draw)));
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

TEST(MedianInterval, OfFewHoldsForNormalNoiseOfAnyDeviation) {
  for (const std::size_t n : {2, 3, 4, 5})
    for (const double deviation : {0.0001, 0.1}) {
      Noise noise(n);
      EXPECT_GE(coverage(n, 50, [&] { return noise.normal(50, deviation); }), 0.935) << n << " samples";
    }
}

double mean_independent_count(const Turns& turns) {
  Noise noise(11);
  double sum = 0;
  for (int i = 0; i < 2000; ++i) sum += independent_count(turns.draw(noise));
  return sum / 2000;
}

TEST(IndependentCount, IsOneForOneTurn) {
  EXPECT_EQ(independent_count({.us = {1, 2, 3, 4, 5}}), 1);
  EXPECT_EQ(independent_count({.us = {1, 2, 3, 4, 5}, .turns = {5}}), 1);
  EXPECT_EQ(independent_count({}), 0);
}

TEST(IndependentCount, IsTheTurnsWhereTheyAreAllThatVaries) {
  EXPECT_EQ(independent_count({.us = {1, 1, 1, 9, 9, 9, 2, 2, 2, 8, 8, 8}, .turns = {3, 3, 3, 3}}), 4);
  EXPECT_EQ(mean_independent_count({.count = 12, .size = 4, .common = 0.02, .own = 0}), 12);
}

TEST(IndependentCount, IsNearlyAllOfThemWhereTurnsDoNotMatter) {
  EXPECT_GT(mean_independent_count({.count = 12, .size = 4, .common = 0, .own = 0.02}), 0.8 * 48);
  EXPECT_EQ(independent_count({.us = {5, 5, 5, 5}, .turns = {2, 2}}), 4) << "equal ones say nothing against it";
}

/// Worth (1 - ρ) / (1 + 3 ρ) of four: about three quarters of the variance is the turns'.
TEST(IndependentCount, LiesBetweenForBoth) {
  const double worth = mean_independent_count({.count = 24, .size = 4, .common = 0.02, .own = 0.0115});
  EXPECT_GT(worth, 26);
  EXPECT_LT(worth, 50);
}

double coverage_of(const Turns& turns, bool known) {
  Noise noise(12);
  int covered = 0;
  for (int i = 0; i < 2000; ++i) {
    auto drawn = turns.draw(noise);
    if (!known) drawn = independent(drawn.us);
    const auto interval = *median_interval(drawn);
    covered += interval.low <= 100 && 100 <= interval.high;
  }
  return covered / 2000.0;
}

TEST(MedianInterval, HoldsForSamplesOfTurnsThatHaveMuchInCommon) {
  for (const std::size_t count : {4, 7, 12, 25}) {
    const Turns turns{.count = count, .size = 4, .common = 0.02, .own = 0.005};
    EXPECT_GT(coverage_of(turns, true), 0.9) << count << " turns";
    EXPECT_LT(coverage_of(turns, false), 0.85) << count << " turns: as if they were independent";
  }
}

/// Eleven samples that agree within 0.2 %, of a turn that is 1.5 % off.
TEST(MedianInterval, OfOneTurnHoldsWhateverTheTurnsSamplesHaveInCommon) {
  const Turns turns{.count = 1, .size = 11, .common = 0.015, .own = 0.002};
  EXPECT_GT(coverage_of(turns, true), 0.95);
  EXPECT_LT(coverage_of(turns, false), 0.2) << "as if they were independent";
}

}  // namespace
}  // namespace gemmtune
