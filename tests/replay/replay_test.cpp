#include "gemmtune/replay/replay.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/replay/recorded_times.h"
#include "gemmtune/replay/score.h"
#include "tests/replay/recorded_shapes.h"

namespace gemmtune {
namespace {

TEST(Truth, IsTheLeastMedianOfWhatIsRight) {
  RecordedShape shape{.candidates = {recorded_toy("a", 1, {10, 11, 12}), recorded_toy("b", 1, {7, 8, 30})}};
  EXPECT_EQ(best_time_us(shape), 8);
  EXPECT_EQ(true_time_us(shape, "a"), 11);
  EXPECT_EQ(true_time_us(shape, "c"), std::nullopt);
  shape.candidates[1].outcome = Outcome::wrong_result;
  EXPECT_EQ(best_time_us(shape), 11);
  EXPECT_EQ(true_time_us(shape, "b"), std::nullopt);
}

TEST(Truth, IsTheMeanOfTheTurnsMedians) {
  RecordedShape shape{.candidates = {recorded_toy("a", 1, {10, 10, 10, 40, 40})}};
  EXPECT_EQ(true_time_us(shape, "a"), 10);
  shape.candidates[0].confirm.turns = {3, 2};
  EXPECT_NEAR(*true_time_us(shape, "a"), 20, 1e-9) << "the mean of logarithms";
}

TEST(SearchOnce, HoldsTheWinnerAgainstTheBestThereWas) {
  const auto shape = recorded_tiles();
  for (const auto& search : replayable_searches()) {
    Neighbours none;
    const auto run = search_once(search, shape, 3, none);
    ASSERT_FALSE(run.winner.empty()) << search;
    EXPECT_NEAR(run.regret, *true_time_us(shape, run.winner) / *best_time_us(shape) - 1, 1e-12) << search;
    EXPECT_GT(run.device_s, 0) << search;
    EXPECT_EQ(run.claim.has_value(), search == "race") << search;
    EXPECT_EQ(run.candidates, static_cast<std::int64_t>(shape.candidates.size()));
  }
}

TEST(SearchOnce, ThatFindsNothingHasNoWinner) {
  RecordedShape shape{.problem = parse_problem("64x64x64:a16w16"), .candidates = {recorded_toy("wrong", 1, {})}};
  shape.candidates[0].outcome = Outcome::wrong_result;
  Neighbours none;
  for (const auto& search : replayable_searches()) EXPECT_EQ(search_once(search, shape, 1, none).winner, "") << search;
}

TEST(Replay, IsTheSameForTheSameSeed) {
  const Recording recording{recorded_tiles()};
  const auto json = [&](std::uint64_t seed) {
    return replay_json(replay(recording, {.searches = {"race", "tunableop"}, .repeats = 3, .seed = seed})).dump();
  };
  EXPECT_EQ(json(1), json(1));
  EXPECT_NE(json(1), json(2));
}

TEST(Replay, LeavesOutWhereNothingIsRight) {
  auto wrong = recorded_tiles();
  for (auto& one : wrong.candidates) one.outcome = Outcome::crashed;
  const auto result = replay({wrong, recorded_tiles()}, {.searches = {"screen"}, .repeats = 1});
  EXPECT_EQ(result.shapes.size(), 1U);
}

/// Runs of one search on one shape.
Replay with_runs(std::vector<SearchRun> runs) {
  ReplayedShape shape{.best_us = 1};
  const auto repeats = static_cast<std::int64_t>(runs.size());
  shape.runs.push_back(std::move(runs));
  return {.options = {.searches = {"some"}, .repeats = repeats}, .shapes = {shape}};
}

TEST(Scores, AreOfTheRunsThatFoundAWinner) {
  const auto all = scores(with_runs({{.winner = "a", .regret = 0.01, .device_s = 2, .looked_at = 5, .candidates = 10},
                                     {.winner = "b", .regret = 0.03, .device_s = 4, .looked_at = 10, .candidates = 10},
                                     {.winner = "", .device_s = 6, .looked_at = 0, .candidates = 10}}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].search, "some");
  EXPECT_EQ(all[0].without_winner, 1);
  EXPECT_DOUBLE_EQ(all[0].mean_regret, 0.02);
  EXPECT_DOUBLE_EQ(all[0].worst_regret, 0.03);
  EXPECT_DOUBLE_EQ(all[0].device_s, 4);
  EXPECT_DOUBLE_EQ(all[0].looked_at, 0.5);
  EXPECT_EQ(all[0].held, std::nullopt);
}

TEST(Scores, CountTheClaimsThatHeld) {
  const RegretClaim claim{.regret = 0.02, .probability = 0.95};
  const auto all = scores(with_runs({{.winner = "a", .regret = 0.01, .claim = claim},
                                     {.winner = "b", .regret = 0.03, .claim = claim},
                                     {.winner = "c", .regret = 0.9}}));
  EXPECT_DOUBLE_EQ(*all[0].held, 0.5);
  EXPECT_DOUBLE_EQ(*all[0].stated_regret, 0.02);
}

}  // namespace
}  // namespace gemmtune
