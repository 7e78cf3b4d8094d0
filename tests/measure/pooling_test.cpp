#include "gemmtune/measure/pooling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gemmtune/measure/ranking.h"
#include "tests/measure/invented_samples.h"

namespace gemmtune {
namespace {

using invented::Noise;

Evaluation timed(const std::string& name, double median_us, double half_share = 0.001) {
  return {.candidate = {.family = "f", .name = name},
          .stage = Stage::confirm,
          .timing = {.median_us = median_us,
                     .min_us = median_us * 0.99,
                     .mean_us = median_us,
                     .low_us = median_us * std::exp(-half_share),
                     .high_us = median_us * std::exp(half_share),
                     .sample_count = 2,
                     .samples_us = {median_us, median_us},
                     .turns = {1, 1}}};
}

using Confirmations = std::vector<std::vector<Evaluation>>;

double half_share(const Evaluation& evaluation) {
  return std::log(evaluation.timing.high_us / evaluation.timing.low_us) / 2;
}

TEST(Pooled, LeavesASingleConfirmationAsItIs) {
  const auto all = pooled(Confirmations{{timed("a", 100), timed("b", 0)}});
  ASSERT_EQ(all.size(), 1U) << "b was not timed";
  EXPECT_EQ(all[0].timing, timed("a", 100).timing);
  EXPECT_TRUE(pooled({}).empty());
}

TEST(Pooled, LeavesConfirmationsOfDifferentCandidatesAsTheyAre) {
  const auto all = pooled(Confirmations{{timed("a", 100)}, {}, {timed("b", 110)}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].timing, timed("a", 100).timing);
  EXPECT_EQ(all[1].timing, timed("b", 110).timing);
}

TEST(Pooled, AConfirmationThatTimedNothingCountsForNothing) {
  const Confirmations both{{timed("a", 100), timed("b", 110)}, {timed("a", 110), timed("b", 121)}};
  auto with_an_empty_one = both;
  with_an_empty_one.insert(with_an_empty_one.begin() + 1, {timed("c", 0)});
  const auto expected = pooled(both);
  const auto all = pooled(with_an_empty_one);
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].timing, expected[i].timing);
}

TEST(Pooled, AttributesToTheClockWhatAllHaveInCommon) {
  const auto all =
      pooled(Confirmations{{timed("a", 100), timed("b", 110), timed("c", 120)}, {timed("b", 121), timed("a", 110)}});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_NEAR(all[0].timing.median_us, std::sqrt(100 * 110), 1e-9);
  EXPECT_NEAR(all[1].timing.median_us / all[0].timing.median_us, 1.1, 1e-9);
  EXPECT_NEAR(all[2].timing.median_us / all[0].timing.median_us, 1.2, 1e-9) << "it ran only with the faster clock";
}

TEST(Pooled, TakesTheMeanOfPlacementsAndShowsHowTheyDiffer) {
  const auto all = pooled(Confirmations{{timed("a", 100), timed("b", 102), timed("c", 108)},
                                        {timed("a", 102), timed("b", 102), timed("c", 106)}});
  EXPECT_NEAR(all[0].timing.median_us, std::sqrt(100 * 102), 0.01);
  for (const auto& one : all) EXPECT_GT(half_share(one), 0.015) << "by 2 % two of them changed";
  EXPECT_EQ(rank(all).tied.size(), 2U) << "one of which cannot be told from the fastest, whichever confirmation it won";
  const auto calm = pooled(Confirmations{{timed("a", 100), timed("b", 102)}, {timed("a", 100), timed("b", 102)}});
  EXPECT_LT(half_share(calm[0]), 0.012);
}

TEST(Pooled, KeepsSamplesTurnsAndTheFirstFailure) {
  auto failed = timed("a", 101);
  failed.outcome = Outcome::wrong_result;
  failed.reason = "invented";
  failed.cost.kernel_s = 1;
  const auto all = pooled(Confirmations{{timed("a", 100)}, {failed}, {timed("a", 102)}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].outcome, Outcome::wrong_result);
  EXPECT_EQ(all[0].reason, "invented");
  EXPECT_EQ(all[0].timing.sample_count, 6);
  EXPECT_EQ(all[0].timing.samples_us, (std::vector<double>{100, 100, 101, 101, 102, 102}));
  EXPECT_EQ(all[0].timing.turns, (std::vector<std::int64_t>{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(all[0].cost.kernel_s, 1);
}

TEST(DeviationOfPlacement, IsThatOfTheChangesBeyondWhatSamplesExplain) {
  Noise noise(3);
  const auto changes = [&](double placement, double sampling, int count) {
    std::vector<Change> all;
    for (int i = 0; i < count; ++i)
      all.push_back({.log_time = noise.normal(1, std::hypot(placement, sampling) * std::sqrt(2.0)) - 1,
                     .variance = 2 * sampling * sampling});
    return all;
  };
  EXPECT_NEAR(deviation_of_placement(changes(0.01, 0.004, 2000), 1), 0.01, 0.0015);
  EXPECT_LT(deviation_of_placement(changes(0, 0.004, 2000), 1), 0.004);
  EXPECT_GE(deviation_of_placement(changes(0, 0, 2000), 1), least_deviation_of_placement);
  EXPECT_GE(deviation_of_placement({}, 0), usual_deviation_of_placement);
}

TEST(DeviationOfPlacement, IsNotThatOfAFewDisturbedEvaluations) {
  std::vector<Change> all(20, {.log_time = 0.003, .variance = 0});
  const double calm = deviation_of_placement(all, 1);
  all.front().log_time = 1;
  EXPECT_LT(deviation_of_placement(all, 1), 1.2 * calm);
}

/// Candidates that are 1 % off for as long as their operands lie where they lie, which their samples cannot show.
TEST(Pooled, IntervalsHoldWhatOneConfirmationCannotShow) {
  Noise noise(4);
  int alone = 0;
  int together = 0;
  for (int i = 0; i < 300; ++i) {
    Confirmations all(3);
    for (auto& confirmation : all)
      for (const auto* name : {"a", "b", "c", "d", "e", "f"})
        confirmation.push_back(timed(name, noise.normal(100, 0.01)));
    const auto holds = [](const Evaluation& e) { return e.timing.low_us <= 100 && 100 <= e.timing.high_us ? 1 : 0; };
    for (const auto& one : all[0]) alone += holds(one);
    for (const auto& one : pooled(all)) together += holds(one);
  }
  EXPECT_LT(alone, 300) << "of 1800";
  EXPECT_GT(together, 1620) << "of 1800, at 95 %";
}

}  // namespace
}  // namespace gemmtune
