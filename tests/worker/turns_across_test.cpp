// Timing in turns across evaluators. Those of this file are in this process; processes are in remote_steps_test.cpp.
#include "gemmtune/worker/turns_across.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/worker/product_audit.h"
#include "tests/evaluate/expected.h"

namespace gemmtune {
namespace {

EvaluationPolicy brief_policy() {
  auto policy = confirm_policy();
  policy.measure.max_samples = 24;
  policy.measure.max_sampling_s = 100;  // however slow a sanitizer on a busy machine is
  policy.measure.target_dispersion = 0;
  return policy;
}

std::vector<Candidate> named(const std::vector<std::string>& faults) {
  std::vector<Candidate> candidates;
  for (const auto& fault : faults) candidates.push_back(broken::candidate(fault));
  return candidates;
}

const Evaluation& of(const Remembered& seen, const std::string& name) {
  const auto is_it = [&](const Evaluation& one) { return one.candidate.name == name; };
  EXPECT_EQ(std::ranges::count_if(seen.evaluations, is_it), 1) << name;
  static const Evaluation none{};
  const auto found = std::ranges::find_if(seen.evaluations, is_it);
  return found == seen.evaluations.end() ? none : *found;
}

struct Bench {
  LocalEvaluator one{broken_evaluator()};
  LocalEvaluator other{broken_evaluator()};
  std::atomic<bool> interrupted{false};

  Remembered confirm(const std::string& text, const std::vector<std::string>& first,
                     const std::vector<std::string>& second) {
    const auto problem = parse_problem(text);
    const auto policy = brief_policy();
    Remembered seen;
    confirm_across({problem, policy, DeviceKind::cpu, interrupted},
                   {{one.steps(), named(first)}, {other.steps(), named(second)}}, seen);
    return seen;
  }
};

/// Passes everything on, and notes what turns are asked for.
class Noting final : public Steps {
 public:
  explicit Noting(Steps& steps) : steps_(steps) {}

  void hold(const HoldRequest& request, HoldObserver& observer) override { steps_.hold(request, observer); }
  TurnResult sample(const Candidate& candidate, const TurnRequest& turn) override {
    turns.push_back(turn);
    return steps_.sample(candidate, turn);
  }
  Process settle(std::span<const Candidate> candidates, EvaluationObserver& observer) override {
    return steps_.settle(candidates, observer);
  }
  void release() override { steps_.release(); }
  Product multiply(const ProductRequest& request) override { return steps_.multiply(request); }

  std::vector<TurnRequest> turns{};

 private:
  Steps& steps_;
};

std::vector<TurnRequest> turns_on(DeviceKind kind) {
  Bench bench;
  Noting noting(*bench.one.steps());
  const auto problem = parse_problem("33x47x130:f32:f32:f32");
  auto policy = brief_policy();
  policy.measure.warmup = 1;
  Remembered seen;
  confirm_across({problem, policy, kind, bench.interrupted}, {{&noting, named({"right"})}}, seen);
  EXPECT_EQ(seen.evaluations.front().outcome, Outcome::ok);
  return noting.turns;
}

TEST(TurnsAcross, AGpuDoesNotRestBetweenTurns) {
  for (const auto& turn : turns_on(DeviceKind::cpu)) EXPECT_EQ(turn.after, 0);
  const auto turns = turns_on(DeviceKind::cuda);
  EXPECT_EQ(turns.front().after, 0) << "how long a launch takes is not known yet";
  for (std::size_t i = 1; i < turns.size(); ++i) {
    if (turns[i].outputs == Outputs::judged) {
      EXPECT_GE(turns[i].warmup, 1) << "samples follow launches of their own";
    }
  }
  EXPECT_GT(turns.back().after, 2) << "launches of microseconds";
  EXPECT_LE(turns.back().after, 128);
}

class TurnsAcrossProblems : public OnEachProblem {};

TEST_P(TurnsAcrossProblems, TimesAreThoseOfOneProcess) {
  Bench bench;
  const auto seen = bench.confirm(GetParam(), {"right"}, {"right_slow"});
  ASSERT_EQ(seen.evaluations.size(), 2U);
  for (const auto& evaluation : seen.evaluations) {
    EXPECT_EQ(evaluation.outcome, Outcome::ok) << evaluation.reason;
    EXPECT_EQ(evaluation.stage, Stage::confirm);
    EXPECT_EQ(evaluation.timing.sample_count, 24);
    EXPECT_GE(evaluation.timing.turns.size(), 3U);
    EXPECT_GT(evaluation.accuracy.checked, 0);
    EXPECT_GT(evaluation.cost.kernel_s, 0);
  }
  EXPECT_GT(of(seen, "right_slow").timing.median_us, 1.5 * of(seen, "right").timing.median_us);
}

TEST_P(TurnsAcrossProblems, EachFaultIsCaughtAndNamed) {
  for (const auto& expected : faults()) {
    Bench bench;
    const auto seen = bench.confirm(GetParam(), {expected.fault}, {"right"});
    expect_outcome(of(seen, expected.fault), expected);
    EXPECT_EQ(of(seen, "right").outcome, Outcome::ok) << of(seen, "right").reason;
  }
}

TEST_P(TurnsAcrossProblems, AProductIsRightOrNot) {
  auto evaluator = broken_evaluator();
  const auto problem = parse_problem(GetParam());
  ProductAudit audit;
  const auto outcome_of = [&](const char* fault) {
    return audit.audit_anew(*evaluator.steps(), {problem, broken::candidate(fault), VerifyPolicy{}});
  };
  EXPECT_EQ(outcome_of("right").outcome, Outcome::ok) << outcome_of("right").reason;
  EXPECT_EQ(outcome_of("k_tail").outcome, Outcome::wrong_result);
  EXPECT_EQ(outcome_of("last_row").outcome, Outcome::wrong_result);
  EXPECT_EQ(outcome_of("prepare_throws").outcome, Outcome::compile_failed);
  EXPECT_EQ(outcome_of("reports_failure").outcome, Outcome::launch_failed);
  EXPECT_EQ(outcome_of("nobody_knows_it").outcome, Outcome::unsupported);
}

INSTANTIATE_TEST_SUITE_P(Problems, TurnsAcrossProblems, each_problem(), problem_name);

constexpr const char* some_problem = "33x47x130:f32:f32:f32";

struct HoldSorter final : HoldObserver {
  void started(const Candidate&) override {}
  void evaluated(const Evaluation& evaluation) override { failed.push_back(evaluation.candidate.name); }
  void held(const HeldCandidate& one) override { held_ones.push_back(one.candidate.name); }
  void postponed(const Candidate& candidate) override { later.push_back(candidate.name); }

  std::vector<std::string> failed{}, held_ones{}, later{};
};

TEST(LocalSteps, HoldsWhatFitsAndAtLeastOne) {
  auto evaluator = broken_evaluator();
  const auto problem = parse_problem(some_problem);
  const auto policy = brief_policy();
  const auto candidates = named({"last_row", "right", "right_slow"});
  HoldSorter sorter;
  evaluator.steps()->hold({problem, candidates, policy, 0.0}, sorter);
  EXPECT_THAT(sorter.failed, testing::ElementsAre("last_row"));
  EXPECT_EQ(sorter.held_ones.front(), "right");
  EXPECT_EQ(sorter.held_ones.size() + sorter.later.size(), 2U);
}

TEST(LocalSteps, KnowsWhatIsHeld) {
  auto evaluator = broken_evaluator();
  auto& steps = *evaluator.steps();
  const auto problem = parse_problem(some_problem);
  const auto policy = brief_policy();
  const auto candidates = named({"right"});
  EXPECT_THROW(steps.sample(candidates[0], {}), Error);
  HoldSorter sorter;
  steps.hold({problem, candidates, policy}, sorter);
  const auto result = steps.sample(candidates[0], {.warmup = 1, .count = 7, .outputs = Outputs::judged});
  ASSERT_TRUE(std::holds_alternative<Turn>(result));
  EXPECT_EQ(std::get<Turn>(result).samples_us.size(), 7U);
  EXPECT_NO_THROW(steps.go_on(candidates[0], 3));
  steps.release();
  EXPECT_THROW(steps.sample(candidates[0], {}), Error);
  EXPECT_THROW(steps.go_on(candidates[0], 3), Error);
}

TEST(LocalSteps, ReturnsTheRowsThatWereAskedFor) {
  auto evaluator = broken_evaluator();
  ProductRequest request{.problem = parse_problem("5x6x130:f32:f32:f32:batch=2"),
                         .candidate = broken::candidate("right"),
                         .seed = 7,
                         .rows = {0, 4, 5, 9}};
  const auto product = evaluator.steps()->multiply(request);
  ASSERT_EQ(product.outcome, Outcome::ok) << product.reason;
  ASSERT_EQ(product.rows.size(), 4U);
  for (const auto& row : product.rows) EXPECT_EQ(row.size(), 24U);
  request.rows = {5};
  EXPECT_EQ(evaluator.steps()->multiply(request).rows.front(), product.rows[2]);
  request.rows = {10};
  EXPECT_THROW(evaluator.steps()->multiply(request), Error);
}

TEST(TurnsAcross, AnInterruptEndsIt) {
  Bench bench;
  bench.interrupted = true;
  EXPECT_TRUE(bench.confirm(some_problem, {"right"}, {"right_slow"}).evaluations.empty());
}

}  // namespace
}  // namespace gemmtune
