// The example family goes through the same evaluation as those that ship.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gemmtune/evaluate/local_evaluator.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_naive_family();

namespace {

class Collector final : public EvaluationObserver {
 public:
  void started(const Candidate&) override {}
  void evaluated(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }

  std::vector<Evaluation> evaluations{};
};

std::unique_ptr<LocalEvaluator> naive_evaluator() {
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(make_naive_family());
  return std::make_unique<LocalEvaluator>(open_device("cpu"), std::move(families));
}

TEST(AddingAFamily, EveryCandidateOfTheExampleIsRight) {
  const auto evaluator = naive_evaluator();
  const auto problem = parse_problem("17x33x65:f32:f32:f32");
  const auto candidates = evaluator->candidates(problem);
  ASSERT_EQ(candidates.size(), 3U) << "blocks of 1, 8 and 32 columns fit N = 33";
  Collector collector;
  evaluator->evaluate(problem, candidates, screen_policy(), collector);
  ASSERT_EQ(collector.evaluations.size(), candidates.size());
  for (const auto& evaluation : collector.evaluations) {
    EXPECT_EQ(evaluation.outcome, Outcome::ok) << evaluation.candidate.name << ": " << evaluation.reason;
    EXPECT_GT(evaluation.timing.median_us, 0) << evaluation.candidate.name;
  }
}

TEST(AddingAFamily, TheExampleSaysWhyItDoesNotApply) {
  const auto support = naive_evaluator()->supports(parse_problem("17x33x65:a16w16"));
  ASSERT_EQ(support.size(), 1U);
  EXPECT_EQ(support[0].why_not, "naive does not handle bf16 operands or outputs");
}

}  // namespace
}  // namespace gemmtune
