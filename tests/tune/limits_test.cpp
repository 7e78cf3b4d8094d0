// Budgets and Ctrl-C: the run ends within one candidate, and keeps what it has reached.
#include "gemmtune/tune/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/clock.h"
#include "gemmtune/tune/proof_cost.h"
#include "gemmtune/tune/shape_limits.h"
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
  EXPECT_TRUE(aborted.reached_for_proofs());
  EXPECT_EQ(aborted.reason(), "the run ended in an error");
  stop = true;
  EXPECT_EQ(Limits(std::nullopt, stop).reason(), "the run was stopped");
  EXPECT_TRUE(Limits(std::nullopt, stop).reached_for_proofs());
}

/// A clock that a test sets.
class LimitsOfAClock : public testing::Test {
 protected:
  Limits limits_of(double budget_s) {
    return {budget_s, stop_, [this] { return now_s_; }};
  }

  double now_s_{};
  std::atomic<bool> stop_{};
};

TEST_F(LimitsOfAClock, AProofMayExceedTheBudgetByATenthAndNotByMoreThanHalfAMinute) {
  const Limits brief = limits_of(100);
  const Limits longer = limits_of(3600);
  now_s_ = 101;
  EXPECT_TRUE(brief.reached());
  EXPECT_FALSE(brief.reached_for_proofs());
  EXPECT_DOUBLE_EQ(brief.left_for_proofs_s(), 9);
  now_s_ = 110;
  EXPECT_TRUE(brief.reached_for_proofs());
  now_s_ = 3600;
  EXPECT_DOUBLE_EQ(longer.left_for_proofs_s(), 30);
  now_s_ = 3630;
  EXPECT_TRUE(longer.reached_for_proofs());
}

TEST_F(LimitsOfAClock, TheSearchOfAShapeEndsEarlyEnoughForAProof) {
  const Limits limits = limits_of(100);
  ShapeLimits shape(limits);
  now_s_ = 80;
  EXPECT_FALSE(shape.reached());
  shape.expect_proof(10);
  EXPECT_FALSE(shape.reached()) << "20 s are left, 15 s are kept";
  now_s_ = 86;
  EXPECT_TRUE(shape.reached());
  EXPECT_EQ(shape.reason(), "the budget of 1 min 40 s is spent");
  EXPECT_FALSE(limits.reached()) << "another shape may have nothing to prove yet";
  shape.expect_proof(1);
  EXPECT_TRUE(shape.reached()) << "it has ended";
  shape.begin_proof();
  EXPECT_FALSE(shape.reached());
  now_s_ = 105;
  EXPECT_FALSE(shape.reached());
  now_s_ = 110;
  EXPECT_TRUE(shape.reached());
}

TEST_F(LimitsOfAClock, NoTimeIsKeptForAProofThatCannotEndInTime) {
  const Limits limits = limits_of(100);
  ShapeLimits shape(limits);
  shape.expect_proof(200);
  EXPECT_FALSE(shape.reached()) << "the search makes use of the time, and the next run has less to do";
  EXPECT_FALSE(shape.leaves_time_for_proof());
  now_s_ = 100;
  EXPECT_TRUE(shape.reached());
}

TEST(ProofCost, IsWhatChecksCostUntilAProofWasMade) {
  const Candidate candidate{.family = "toy", .name = "toy_0"};
  ProofCost cost(0);
  EXPECT_EQ(cost.seconds(), 0) << "nothing is known";
  auto screening = answered(candidate, Stage::screen, 10);
  screening.cost = {.kernel_s = 50, .prepare_s = 1, .operands_s = 0.2, .reference_s = 0.3, .verify_s = 0.1};
  cost.add(screening, 0);
  const double first = cost.seconds();
  EXPECT_GE(first, 1 + 5 * 0.6) << "five kinds of operands, each with a reference of its own";
  screening.cost.reference_s = 0;
  cost.add(screening, 0);
  EXPECT_EQ(cost.seconds(), first) << "later candidates use the reference of the first one";
  auto proof = answered(candidate, Stage::prove, 0);
  proof.cost = {.verify_s = 2};
  cost.add(proof, 2.5);
  EXPECT_EQ(cost.seconds(), 2.5);
}

TEST(ProofCost, CountsTheStartOfAWorkerAndNoFailures) {
  ProofCost cost(3);
  cost.add(refused({.family = "toy", .name = "toy_0"}, Stage::screen, Outcome::timed_out), 1800);
  EXPECT_EQ(cost.seconds(), 0);
  cost.add(answered({.family = "toy", .name = "toy_1"}, Stage::screen, 10), 0.5);
  EXPECT_EQ(cost.seconds(), 3.5);
}

/// Screenings whose cost says that a proof takes long, so that the search ends in time however busy the machine is.
Evaluation with_costly_check(Evaluation evaluation) {
  if (evaluation.stage == Stage::screen) evaluation.cost.verify_s = 0.25;
  return evaluation;
}

// A proof is expected to take 2 s, so the search ends when 3 s are left. This search states no regret.
TEST(Budget, LeavesTimeToProveTheBest) {
  for (const bool interruptible : {true, false}) {
    FakeRun run;
    run.plan.shapes = shapes_of(1);
    run.world.takes = std::chrono::milliseconds(20);
    run.world.interruptible = interruptible;
    run.world.candidates = numbered_candidates(300);
    run.world.answer = [](const Problem& p, const Candidate& c, Stage stage) {
      return with_costly_check(answered(c, stage, told_time_us(p, c)));
    };
    run.plan.budget_s = 4;
    const auto cut = run.run().results.at(0);
    EXPECT_FALSE(cut.complete);
    EXPECT_THAT(cut.cut_short_by, StartsWith("the budget of"));
    ASSERT_TRUE(cut.winner) << cut.why_failed;
    EXPECT_EQ(cut.winner->stage, Stage::screen);
    EXPECT_FALSE(cut.unproven);
    EXPECT_FALSE(cut.claim);
    EXPECT_EQ(cut.why_no_claim, "");
    EXPECT_EQ(run.world.log.back(), Asked(to_string(cut.shape.problem), cut.winner->candidate.name, Stage::prove));
  }
}

TEST(Budget, MakesARaceThatItCutsShortClaimNothing) {
  FakeRun run;
  run.plan.shapes = shapes_of(1);
  run.plan.search = "race";
  run.world.takes = std::chrono::milliseconds(20);
  run.world.candidates = numbered_candidates(300);
  run.world.answer = [](const Problem& p, const Candidate& c, Stage stage) {
    return with_costly_check(answered(c, stage, told_time_us(p, c)));
  };
  run.plan.budget_s = 4;
  const auto cut = run.run().results.at(0);
  EXPECT_FALSE(cut.complete);
  EXPECT_FALSE(cut.claim);
  EXPECT_EQ(cut.why_no_claim, "the search was cut short");
}

// A kernel that overflows passes the screening, and the proof turns it down. The others are proven one after the other.
TEST(Budget, MakesNoWinnerOfAKernelThatTheProofTurnsDown) {
  FakeRun run;
  run.plan.shapes = shapes_of(1);
  run.world.takes = std::chrono::milliseconds(20);
  run.world.candidates = numbered_candidates(300);
  run.world.answer = [](const Problem&, const Candidate& c, Stage stage) {
    const bool overflows = c.name < "toy_3";
    if (stage == Stage::prove && overflows) return refused(c, stage, Outcome::wrong_result);
    return with_costly_check(answered(c, stage, overflows ? 100 + std::stod(c.name.substr(4)) / 1000 : 200));
  };
  run.plan.budget_s = 4;
  const auto result = run.run().results.at(0);
  EXPECT_FALSE(result.complete);
  if (result.winner) {
    EXPECT_GE(result.winner->candidate.name, "toy_3");
  }
  EXPECT_GE(result.failures.size(), 1U) << "proofs failed";
  for (const auto& failure : result.failures) EXPECT_EQ(failure.stage, Stage::prove);
}

// The budget is too small for any proof, however fast the machine is.
TEST(Budget, WithoutTimeForAProofHasNoWinnerAndTheNextRunGoesOn) {
  FakeRun run;
  run.plan.shapes = shapes_of(1);
  run.world.answer = [](const Problem& p, const Candidate& c, Stage stage) {
    auto evaluation = answered(c, stage, told_time_us(p, c));
    if (stage == Stage::screen) evaluation.cost.reference_s = 1000;
    return evaluation;
  };
  run.world.candidates = numbered_candidates(300);
  run.world.takes = std::chrono::milliseconds(20);
  run.plan.budget_s = 1.5;
  const auto first = run.run().results.at(0);
  EXPECT_FALSE(first.winner);
  ASSERT_TRUE(first.unproven);
  EXPECT_THAT(first.why_failed, StartsWith("the budget of"));
  EXPECT_THAT(first.why_failed, HasSubstr("; until then " + first.unproven->candidate.name + " was the fastest"));
  EXPECT_THAT(first.why_failed, HasSubstr("it was not proven"));
  for (const auto& [problem, candidate, stage] : run.world.log) EXPECT_EQ(stage, Stage::screen);
  run.plan.budget_s.reset();
  run.world.takes = {};
  run.world.candidates.resize(40);
  run.world.answer = [](const Problem& p, const Candidate& c, Stage stage) {
    return answered(c, stage, told_time_us(p, c));
  };
  const auto second = run.run().results.at(0);
  ASSERT_TRUE(second.winner) << second.why_failed;
  EXPECT_GT(second.reused, 0);
}

TEST(Budget, IsKeptToWithinACandidate) {
  for (const bool interruptible : {true, false}) {
    FakeRun run;
    run.world.takes = std::chrono::milliseconds(20);
    run.world.interruptible = interruptible;
    run.plan.budget_s = 0.2;
    const auto start = SteadyClock::now();
    const auto report = run.run();
    const int left = interruptible ? 1 : 8;  // an evaluator that cannot be interrupted finishes what it was handed
    EXPECT_LT(seconds_since(start), 0.2 + 0.02 + left * 0.02 + 0.15) << "a proof's tenth, and slack for a busy machine";
    EXPECT_FALSE(report.stopped_by);
    const ShapeResult& cut = report.results[2];  // the largest is taken first
    EXPECT_FALSE(cut.complete);
    EXPECT_THAT(cut.cut_short_by, StartsWith("the budget of"));
    EXPECT_NE(cut.winner.has_value(), cut.unproven.has_value()) << "whether the proof was in time";
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
  EXPECT_FALSE(report.results[0].winner) << "the proof takes an hour too";
  ASSERT_TRUE(report.results[0].unproven);
  EXPECT_EQ(report.results[0].unproven->stage, Stage::screen);
}

TEST(Budget, OfNothingStillGivesWhatTheStoreHas) {
  FakeRun run;
  const auto first = run.run();
  run.plan.budget_s = 60;
  const auto second = run.run();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(second.results[i].winner->candidate, first.results[i].winner->candidate);
}

// At each point of a run: what there is is named, marked by its stage, and is no winner before it is proven.
TEST(Stop, EndsAtOnceAndNamesTheBestSoFar) {
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
    EXPECT_EQ(result.winner.has_value(), result.complete);
    if (!result.winner) {
      EXPECT_THAT(result.why_failed, StartsWith("the run was stopped; until then")) << last;
    }
    if (last > 15) {
      EXPECT_NE(result.winner.has_value(), result.unproven.has_value());
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
