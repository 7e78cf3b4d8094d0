#include "gemmtune/search/standings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/toy_space.h"

namespace gemmtune {
namespace {

using Indices = std::vector<std::size_t>;

std::vector<Evaluation> with_times(Stage stage, const std::vector<double>& times_us) {
  const auto candidates = toy_candidates(times_us.size());
  std::vector<Evaluation> evaluations;
  for (std::size_t i = 0; i < times_us.size(); ++i) evaluations.push_back(timed(candidates[i], stage, times_us[i]));
  return evaluations;
}

TEST(ChanceToBeat, IsHalfAmongEqualsAndFallsWithTheDistance) {
  const LogTime a{.mean = 1, .deviation = 0.1};
  EXPECT_NEAR(chance_to_beat(a, a), 0.5, 1e-12);
  EXPECT_LT(chance_to_beat({.mean = 1.5, .deviation = 0.1}, a), 0.001);
  EXPECT_GT(chance_to_beat({.mean = 0.5, .deviation = 0.1}, a), 0.999);
  EXPECT_LT(chance_to_beat(a, a, 0.8), 0.1) << "to be faster by a fifth is less likely";
}

TEST(Standings, BringsRoundsOfASlowerClockToOneScale) {
  const auto candidates = toy_candidates(3);
  Standings standings(candidates);
  standings.take(Indices{0, 1, 2}, with_times(Stage::screen, {100, 101, 150}), Look::screened);
  standings.take(Indices{0, 1}, with_times(Stage::confirm, {113, 112}), Look::raced);
  EXPECT_EQ(standings.fastest(), 1U);
  EXPECT_NEAR(standings[1].log_time.mean, std::log(100.0), 0.02);
  EXPECT_NEAR(standings[2].log_time.mean, std::log(150.0), 1e-9);
}

TEST(Standings, WhatFailsIsOutForGood) {
  const auto candidates = toy_candidates(2);
  Standings standings(candidates);
  auto answers = with_times(Stage::screen, {100, 200});
  answers[0].outcome = Outcome::wrong_result;
  standings.take(Indices{0, 1}, answers, Look::screened);
  EXPECT_EQ(standings.fastest(), 1U);
  standings.take(Indices{0, 1}, with_times(Stage::confirm, {100, 200}), Look::confirmed);
  EXPECT_EQ(standings.fastest(), 1U);
  standings.exclude(1);
  EXPECT_EQ(standings.fastest(), std::nullopt);
}

TEST(RegretBound, IsSmallAmongTheClearlySlowerAndGrowsWithRivals) {
  const auto alone = [](double rival_us) {
    const auto candidates = toy_candidates(2);
    Standings standings(candidates);
    standings.take(Indices{0, 1}, with_times(Stage::confirm, {100, rival_us}), Look::confirmed);
    return standings.regret_bound(0, 0.95);
  };
  EXPECT_EQ(alone(150), 0);
  EXPECT_GT(alone(100), 0);
  EXPECT_GT(alone(90), 0.1) << "the winner is known to be slower";
  EXPECT_LT(alone(90), 0.16) << "by one look at each";
}

TEST(RegretBound, CountsThoseNeverLookedAt) {
  const auto candidates = toy_candidates(3);
  Standings standings(candidates);
  standings.take(Indices{0, 1}, with_times(Stage::screen, {100, 140}), Look::screened);
  standings.forecast();
  EXPECT_GT(standings.regret_bound(0, 0.95), 0.01);
  EXPECT_EQ(standings.not_looked_at(), Indices{2});
}

/// All know their times well in each round, and disagree between rounds.
TEST(RegretBound, GrowsWithHowMuchCandidatesChangeBetweenRounds) {
  const auto bound = [](double change) {
    const auto candidates = toy_candidates(6);
    Standings standings(candidates);
    const Indices all{0, 1, 2, 3, 4, 5};
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> times_us{100, 101, 101, 101, 101, 101};
      for (std::size_t i = 0; i < times_us.size(); ++i) times_us[i] *= 1 + (i % 2 == 0 ? sign : -sign) * change;
      standings.take(all, with_times(Stage::confirm, times_us), Look::confirmed);
    }
    return standings.regret_bound(0, 0.95);
  };
  EXPECT_LT(bound(0), 0.003);
  EXPECT_GT(bound(0.01), 0.01);
  EXPECT_GT(bound(0.03), 0.05);
}

}  // namespace
}  // namespace gemmtune
