#include "gemmtune/replay/recorded_evaluator.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "tests/replay/recorded_shapes.h"

namespace gemmtune {
namespace {

class Collector final : public EvaluationObserver {
 public:
  std::vector<Evaluation> evaluations;
  void started(const Candidate& /*candidate*/) override {}
  void evaluated(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }
};

std::vector<Evaluation> evaluate(const RecordedShape& shape, const EvaluationPolicy& policy, std::uint64_t seed = 1) {
  RecordedEvaluator evaluator(shape, seed);
  Collector collector;
  evaluator.evaluate(shape.problem, evaluator.candidates(shape.problem), policy, collector);
  return collector.evaluations;
}

RecordedShape small(DeviceKind kind) {
  RecordedShape shape{.kind = kind, .problem = parse_problem("64x64x64:a16w16")};
  shape.candidates = {recorded_toy("a", 100, {110, 111, 112}), recorded_toy("b", 1000, {1100, 1101}),
                      recorded_toy("wrong", 50, {})};
  shape.candidates[2].outcome = Outcome::wrong_result;
  for (auto& one : shape.candidates) one.overhead_us = 500;
  return shape;
}

TEST(RecordedEvaluator, ScreensFromWhatScreeningSaw) {
  const auto evaluations = evaluate(small(DeviceKind::cuda), screen_policy());
  ASSERT_EQ(evaluations.size(), 3U);
  EXPECT_EQ(evaluations[0].timing.median_us, 100);
  EXPECT_EQ(evaluations[0].timing.sample_count, 4) << "two turns";
  EXPECT_NEAR(evaluations[0].cost.kernel_s, 5 * 100e-6, 1e-12) << "one launch of warm-up";
  EXPECT_NEAR(evaluations[0].cost.total() - evaluations[0].cost.kernel_s, 500e-6, 1e-12);
  EXPECT_EQ(evaluations[2].outcome, Outcome::wrong_result);
  EXPECT_EQ(evaluations[2].cost.kernel_s, 0);
}

TEST(RecordedEvaluator, ConfirmsFromWhatConfirmingSawAndSettlesTheClockOfAGpu) {
  const auto kernel_s = [](DeviceKind kind) {
    double sum = 0;
    for (const auto& evaluation : evaluate(small(kind), confirm_policy())) {
      sum += evaluation.cost.kernel_s;
      if (evaluation.candidate.name == "a") {
        EXPECT_GE(evaluation.timing.median_us, 110);
        EXPECT_LE(evaluation.timing.median_us, 112);
        EXPECT_GE(evaluation.timing.sample_count, 11);
      }
    }
    return sum;
  };
  EXPECT_NEAR(kernel_s(DeviceKind::cuda) - kernel_s(DeviceKind::cpu), 0.2, 1e-9);
}

TEST(RecordedEvaluator, ObeysARoundsNumberOfSamples) {
  for (const auto& evaluation : evaluate(small(DeviceKind::cpu), with_samples(confirm_policy(), 8)))
    EXPECT_EQ(evaluation.timing.sample_count, evaluation.outcome == Outcome::ok ? 8 : 0);
}

TEST(RecordedEvaluator, FailsWhereTheCandidateFailed) {
  auto shape = small(DeviceKind::cpu);
  shape.candidates[0].outcome = Outcome::wrong_result;
  shape.candidates[0].failed_at = Stage::prove;
  EXPECT_EQ(evaluate(shape, screen_policy())[0].outcome, Outcome::ok);
  const auto proofs = evaluate(shape, prove_policy());
  EXPECT_EQ(proofs[0].outcome, Outcome::wrong_result);
  EXPECT_EQ(proofs[1].outcome, Outcome::ok);
}

TEST(RecordedEvaluator, DrawsTheSameForTheSameSeed) {
  const auto shape = recorded_tiles();
  const auto times = [&](std::uint64_t seed) {
    std::vector<double> all;
    for (const auto& evaluation : evaluate(shape, screen_policy(), seed)) all.push_back(evaluation.timing.mean_us);
    return all;
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
}

TEST(RecordedEvaluator, KnowsNothingOfOtherCandidates) {
  const auto shape = small(DeviceKind::cpu);
  RecordedEvaluator evaluator(shape, 1);
  Collector collector;
  const std::vector<Candidate> unknown{{.family = "toy", .name = "z"}};
  EXPECT_THROW(evaluator.evaluate(shape.problem, unknown, screen_policy(), collector), Error);
  EXPECT_TRUE(evaluator.candidates(parse_problem("1x2x3:a16w16")).empty());
}

}  // namespace
}  // namespace gemmtune
