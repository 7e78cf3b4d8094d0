#include "gemmtune/report/regret.h"

#include <gtest/gtest.h>

#include "tests/report/invented_measurements.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

Trial trial(std::int64_t id, int candidate, double time_us, double cost_s, Stage stage = Stage::screen) {
  auto evaluation = invented_evaluation(candidate, stage);
  evaluation.timing.median_us = time_us;
  evaluation.cost = {.kernel_s = cost_s};
  return {.id = id, .problem = invented_problem(), .evaluation = evaluation, .context = invented_context(stage)};
}

const SearchRegret& at_share(const std::vector<SearchRegret>& curve, double share) {
  for (const auto& point : curve)
    if (point.share >= share - 1e-9) return point;
  throw std::out_of_range("no such share");
}

TEST(Regret, Spread) {
  EXPECT_EQ(regret_spread({}).worst, 0);
  const auto spread = regret_spread({0.3, 0.1, 0.2});
  EXPECT_NEAR(spread.mean, 0.2, 1e-12);
  EXPECT_EQ(spread.p95, 0.3);
  EXPECT_EQ(spread.worst, 0.3);
  std::vector<double> hundred;
  for (int i = 1; i <= 100; ++i) hundred.push_back(i);
  EXPECT_EQ(regret_spread(hundred).p95, 95);
}

TEST(Regret, OfBackends) {
  const auto regrets =
      backend_regrets(compare({timed(1, "asm", 4), timed(1, "ck", 2), timed(2, "asm", 5), timed(3, "ck", 0)}));
  ASSERT_EQ(regrets.size(), 2U);
  EXPECT_EQ(regrets[0].backend, "asm");
  EXPECT_EQ(regrets[0].shapes, 2U);
  EXPECT_DOUBLE_EQ(regrets[0].regret.worst, 1) << "twice the best time";
  EXPECT_DOUBLE_EQ(regrets[0].regret.mean, 0.5);
  EXPECT_EQ(regrets[1].shapes, 1U);
  EXPECT_EQ(regrets[1].regret.worst, 0);
}

/// The trials cost 1, 1 and 2 s. The best times after each of them are 30, 10 and 10 us.
TEST(Regret, OfASearchThatStopsEarlier) {
  const auto curve = search_regrets(std::vector{trial(1, 0, 30, 1), trial(2, 1, 10, 1), trial(3, 2, 20, 2)});
  ASSERT_FALSE(curve.empty());
  EXPECT_NEAR(curve.front().share, 0.26, 1e-9) << "the first trial ends at a quarter";
  EXPECT_DOUBLE_EQ(at_share(curve, 0.3).regret.mean, 2);
  EXPECT_DOUBLE_EQ(at_share(curve, 0.52).regret.mean, 0);
  EXPECT_EQ(curve.back().share, 1);
  EXPECT_EQ(curve.back().regret.worst, 0);
}

/// A candidate counts with its confirmed time, not with that of its screening.
TEST(Regret, CountsConfirmedTimes) {
  const auto curve = search_regrets(std::vector{
      trial(1, 0, 5, 1), trial(2, 1, 6, 1), trial(3, 0, 20, 1, Stage::confirm), trial(4, 1, 10, 1, Stage::confirm)});
  EXPECT_DOUBLE_EQ(at_share(curve, 0.3).regret.mean, 1);
  EXPECT_DOUBLE_EQ(curve.back().regret.mean, 0);
}

TEST(Regret, NeedsSomethingToChoose) {
  EXPECT_TRUE(search_regrets({}).empty());
  EXPECT_TRUE(search_regrets(std::vector{trial(1, 0, 30, 1)}).empty());
}

TEST(Regret, NeverGrows) {
  std::vector<Trial> trials;
  for (int i = 0; i < 60; ++i) trials.push_back(trial(i, i, 10 + (i * 37) % 50, 0.1 + (i % 3)));
  const auto curve = search_regrets(trials);
  for (std::size_t i = 1; i < curve.size(); ++i) EXPECT_LE(curve[i].regret.mean, curve[i - 1].regret.mean);
}

}  // namespace
}  // namespace gemmtune
