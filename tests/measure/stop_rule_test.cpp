#include "gemmtune/measure/stop_rule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmtune/measure/statistics.h"
#include "tests/measure/invented_samples.h"

namespace gemmtune {
namespace {

using invented::independent;
using invented::Noise;
using invented::samples;

MeasurePolicy patient() {
  return {.min_samples = 5, .max_samples = 500, .max_sampling_s = 1e9, .target_dispersion = 0.005};
}

/// The samples that the rule takes from a source, each in a turn of its own.
template <typename Draw>
Samples sampled(const StopRule& rule, Draw&& draw) {
  Samples drawn;
  while (!rule.enough(drawn) && drawn.us.size() < 10000) {
    drawn.us.push_back(draw());
    drawn.turns.push_back(1);
  }
  return drawn;
}

template <typename Draw>
std::size_t taken(const StopRule& rule, Draw&& draw) {
  return sampled(rule, draw).us.size();
}

TEST(StopRule, SteadySamplesStopAtTheMinimum) {
  EXPECT_EQ(taken(*make_stop_rule(patient()), [] { return 100.0; }), 5u);
}

TEST(StopRule, AtLeastTwoTurnsWhateverTheMinimum) {
  auto policy = patient();
  policy.min_samples = 0;
  EXPECT_EQ(taken(*make_stop_rule(policy), [] { return 100.0; }), 2u);
}

TEST(StopRule, OneTurnIsNeverNarrow) {
  const auto rule = make_stop_rule(patient());
  const std::vector<double> us(40, 100.0);
  EXPECT_FALSE(rule->enough({.us = us}));
  EXPECT_FALSE(rule->enough({.us = us, .turns = {40}}));
  EXPECT_TRUE(rule->enough({.us = us, .turns = {20, 20}}));
  EXPECT_TRUE(rule->enough({.us = std::vector<double>(500, 100.0)})) << "at the maximum it ends all the same";
}

TEST(StopRule, NoSamplesWantedNoneTaken) {
  auto policy = patient();
  policy.min_samples = 0;
  policy.max_samples = 0;
  EXPECT_EQ(taken(*make_stop_rule(policy), [] { return 100.0; }), 0u);
}

TEST(StopRule, TheMaximumWinsOverTheMinimum) {
  auto policy = patient();
  policy.max_samples = 3;
  EXPECT_EQ(taken(*make_stop_rule(policy), [] { return 100.0; }), 3u);
}

TEST(StopRule, NoisyOnesTakeMoreAndEndNarrow) {
  const auto rule = make_stop_rule(patient());
  Noise calm(1);
  Noise wild(1);
  const auto few = taken(*rule, [&] { return calm.normal(100, 0.005); });
  const auto drawn = sampled(*rule, [&] { return wild.normal(100, 0.02); });
  EXPECT_LT(few, drawn.us.size());
  EXPECT_LT(drawn.us.size(), 500u);
  const auto interval = *median_interval(drawn);
  EXPECT_LT((interval.high - interval.low) / 2, 0.005 * *median(drawn.us));
}

TEST(StopRule, HopelessNoiseEndsAtTheMaximum) {
  Noise noise(2);
  EXPECT_EQ(taken(*make_stop_rule(patient()), [&] { return noise.skewed(10, 100); }), 500u);
}

TEST(StopRule, OutliersAreNoReasonToGoOn) {
  Noise noise(3);
  const auto rule = make_stop_rule(patient());
  EXPECT_LT(taken(*rule, [&] { return noise.chance(0.1) ? 10000.0 : noise.normal(100, 0.002); }), 30u);
}

TEST(StopRule, DriftKeepsItGoing) {
  double now = 100;
  EXPECT_GT(taken(*make_stop_rule(patient()), [&] { return now *= 1.01; }), 100u);
}

TEST(StopRule, TwoModesKeepItGoing) {
  int i = 0;
  EXPECT_EQ(taken(*make_stop_rule(patient()), [&] { return ++i % 2 == 0 ? 100.0 : 110.0; }), 500u);
}

TEST(StopRule, StopsWhenTheSamplesAddUpToTheBudget) {
  auto policy = patient();
  policy.max_sampling_s = 0.001;
  double us = 90;
  EXPECT_EQ(taken(*make_stop_rule(policy), [&] { return us = 200 - us; }), 10u) << "90 and 110 in turn: ten make 1 ms";
  EXPECT_EQ(taken(*make_stop_rule(policy), [&] { return 100 * (us = 200 - us); }), 5u) << "never below the minimum";
}

TEST(StopRule, FarBehindTheBestStopsAtTheMinimum) {
  Noise noise(5);
  const auto wild = [&] { return noise.normal(100, 0.05); };
  EXPECT_EQ(taken(*make_stop_rule(patient(), 60), wild), 5u);
  EXPECT_GT(taken(*make_stop_rule(patient(), 100), wild), 5u) << "one fast sample is hope enough";
}

TEST(StopRule, BeyondAllHopeStopsBeforeTheMinimum) {
  EXPECT_EQ(taken(*make_stop_rule(patient(), 49), [] { return 100.0; }), 1u);
  int i = 0;
  EXPECT_EQ(taken(*make_stop_rule(patient(), 49), [&] { return ++i == 1 ? 90.0 : 100.0; }), 5u) << "one was better";
}

TEST(StopRule, IgnoresTheOrderOfSamples) {
  const auto rule = make_stop_rule(patient());
  Noise noise(6);
  for (int i = 0; i < 200; ++i) {
    auto drawn = independent(samples(5 + noise.below(40), [&] { return noise.normal(100, 0.01); }));
    const bool before = rule->enough(drawn);
    std::shuffle(drawn.us.begin(), drawn.us.end(), noise.engine());
    EXPECT_EQ(rule->enough(drawn), before) << "seed 6, round " << i;
  }
}

TEST(StopRule, TurnsThatDifferKeepItGoing) {
  std::vector<double> us(24, 100.0);
  std::fill_n(us.begin(), 4, 99.0);
  std::fill_n(us.begin() + 4, 4, 103.0);
  const auto rule = make_stop_rule(patient());
  EXPECT_TRUE(rule->enough(independent(us)));
  EXPECT_FALSE(rule->enough({.us = us, .turns = {4, 4, 4, 4, 4, 4}}));
}

}  // namespace
}  // namespace gemmtune
