// Budgets and Ctrl-C: the run ends within one candidate, and keeps what it has reached.
#include "gemmtune/tune/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/tune/tuner.h"
#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Limits, AreReachedByBudgetUserOrError) {
  std::atomic<bool> stop{};
  EXPECT_FALSE(Limits(std::nullopt, stop).reached());
  EXPECT_EQ(Limits(std::nullopt, stop).reason(), "");
  EXPECT_FALSE(Limits(1000.0, stop).reached());
  EXPECT_EQ(Limits(0.0, stop).reason(), "the budget of 0 s is spent");
  Limits aborted(1000.0, stop);
  aborted.abort();
  EXPECT_TRUE(aborted.reached());
  EXPECT_EQ(aborted.reason(), "the run ended in an error");
  stop = true;
  EXPECT_EQ(Limits(std::nullopt, stop).reason(), "the run was stopped");
}

// 30 candidates of 20 ms each: the budget ends while the first shape is being screened.
TEST(Budget, IsKeptToWithinACandidate) {
  for (const bool interruptible : {true, false}) {
    FakeRun run;
    run.world.takes = std::chrono::milliseconds(20);
    run.world.interruptible = interruptible;
    run.plan.budget_s = 0.2;
    const auto start = SteadyClock::now();
    const auto report = run.run();
    const int left = interruptible ? 1 : 8;  // an evaluator that cannot be interrupted finishes what it was handed
    EXPECT_LT(seconds_since(start), 0.2 + left * 0.02 + 0.15) << "with slack for a busy machine";
    EXPECT_FALSE(report.stopped_by);
    const ShapeResult& cut = report.results[2];  // the largest is taken first
    EXPECT_FALSE(cut.complete);
    EXPECT_THAT(cut.cut_short_by, StartsWith("the budget of"));
    ASSERT_TRUE(cut.winner) << "what screening found right is better than nothing";
    EXPECT_EQ(cut.winner->stage, Stage::screen);
    EXPECT_FALSE(cut.proved);
    EXPECT_TRUE(cut.confirmed.empty());
    for (const std::size_t i : {0, 1})
      EXPECT_THAT(report.results[i].why_failed, StartsWith("not reached: the budget of"));
    EXPECT_EQ(run.observer.done.size(), 1U);
  }
}

// Finalists form one long batch, which only an interrupt ends in time.
TEST(Budget, InterruptsABatchOfFinalists) {
  FakeRun run;
  run.world.answer = [&](const Problem&, const Candidate& c, Stage stage) {
    if (stage == Stage::screen && c.name == "toy_29") run.world.takes = std::chrono::hours(1);
    return answered(c, stage, 100);
  };
  run.plan.shapes = shapes_of(1);
  run.plan.budget_s = 0.5;
  const auto start = SteadyClock::now();
  const auto report = run.run();
  EXPECT_LT(seconds_since(start), 2.0);
  ASSERT_TRUE(report.results[0].winner);
  EXPECT_EQ(report.results[0].winner->stage, Stage::screen);
}

TEST(Budget, OfNothingStillGivesWhatTheStoreHas) {
  FakeRun run;
  const auto first = run.run();
  run.plan.budget_s = 60;
  const auto second = run.run();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(second.results[i].winner->candidate, first.results[i].winner->candidate);
}

// At each point of a run: what there is becomes the winner, marked by its stage.
TEST(Stop, EndsAtOnceWithTheBestSoFar) {
  FakeRun whole;
  whole.plan.shapes = shapes_of(1);
  whole.run();
  for (int last = 1; last < whole.observer.candidates; ++last) {
    FakeRun run;
    run.observer.at_candidate = [&] { run.stop = run.observer.candidates >= last; };
    const auto report = run.run();
    EXPECT_FALSE(report.stopped_by);
    const ShapeResult& result = report.results[0];
    EXPECT_EQ(result.cut_short_by, result.complete ? "" : "the run was stopped");
    if (result.winner) {
      EXPECT_EQ(result.winner->stage == Stage::screen, result.confirmed.empty());
    } else {
      EXPECT_THAT(result.why_failed, StartsWith("the run was stopped; until then")) << last;
    }
    EXPECT_EQ(report.results[1].why_failed, "not reached: the run was stopped");
  }
}

TEST(Stop, BeforeTheStartReachesNothing) {
  FakeRun run;
  run.stop = true;
  for (const ShapeResult& result : run.run().results) EXPECT_EQ(result.why_failed, "not reached: the run was stopped");
  EXPECT_TRUE(run.world.log.empty());
}

TEST(Stop, GoesOnWhereItStopped) {
  FakeRun run;
  run.observer.at_candidate = [&] { run.stop = run.observer.candidates >= 17; };
  run.run();
  EXPECT_LE(run.world.evaluation_count(), 17U + 7U) << "17, and what had been handed over with it";
  run.observer.at_candidate = {};
  run.stop = false;
  run.run();
  FakeRun whole;
  whole.run();
  EXPECT_EQ(run.world.evaluation_count(), whole.world.evaluation_count());
}

}  // namespace
}  // namespace gemmtune
