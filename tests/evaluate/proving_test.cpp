#include <gtest/gtest.h>

#include "tests/evaluate/expected.h"

namespace gemmtune {
namespace {

class Proving : public OnEachProblem {};

TEST_P(Proving, TheRightOneIsProvedWithoutTiming) {
  const auto seen = evaluate_fault(GetParam(), "right", prove_policy());
  EXPECT_EQ(seen.outcome, Outcome::ok) << seen.reason;
  EXPECT_EQ(seen.stage, Stage::prove);
  EXPECT_EQ(seen.reason, "");
  EXPECT_EQ(seen.timing.sample_count, 0);
  EXPECT_EQ(seen.timing.median_us, 0);
  EXPECT_GT(seen.accuracy.checked, 0);
  EXPECT_EQ(seen.cost.kernel_s, 0);
}

TEST_P(Proving, WhatGaussianOperandsDoNotShowIsCaughtAndTheRecipeNamed) {
  EXPECT_EQ(evaluate_fault(GetParam(), "drops_one_sign", screen_policy()).outcome, Outcome::ok);
  expect_outcome(evaluate_fault(GetParam(), "drops_one_sign", prove_policy()),
                 {"drops_one_sign", Outcome::wrong_result, "one_sign: "});
}

TEST_P(Proving, IgnoredNanScalesAreCaughtWhereThereAreScalesThatCanBeNan) {
  const bool has_nan_scales = parse_problem(GetParam()).a.scaling == Scaling::mx_1x32;
  EXPECT_EQ(evaluate_fault(GetParam(), "ignores_nan_scale", screen_policy()).outcome, Outcome::ok);
  const auto seen = evaluate_fault(GetParam(), "ignores_nan_scale", prove_policy());
  if (has_nan_scales)
    expect_outcome(seen, {"ignores_nan_scale", Outcome::wrong_result, "nan_scales: "});
  else
    EXPECT_EQ(seen.outcome, Outcome::ok) << seen.reason;
}

TEST_P(Proving, TheUsualFaultsAreCaughtHereToo) {
  for (const auto& expected : faults()) {
    if (expected.fault == "writes_first_output") continue;  // there is but one output for each recipe
    expect_outcome(evaluate_fault(GetParam(), expected.fault, prove_policy()), expected);
  }
}

TEST_P(Proving, EachIsReportedOnce) {
  auto evaluator = broken_evaluator();
  const std::vector candidates{broken::candidate("drops_one_sign"), broken::candidate("right"),
                               broken::candidate("prepare_throws")};
  Remembered seen;
  evaluator.evaluate(parse_problem(GetParam()), candidates, prove_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(seen.evaluations[i].candidate, candidates[i]);
  EXPECT_EQ(seen.evaluations[1].outcome, Outcome::ok) << seen.evaluations[1].reason;
}

INSTANTIATE_TEST_SUITE_P(Problems, Proving, each_problem(), problem_name);

}  // namespace
}  // namespace gemmtune
