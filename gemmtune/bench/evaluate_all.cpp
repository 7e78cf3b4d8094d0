#include "gemmtune/bench/evaluate_all.h"

#include <utility>

namespace gemmtune {
namespace {

class Collector final : public EvaluationObserver {
 public:
  void started(const Candidate&) override {}
  void evaluated(const Evaluation& evaluation) override {
    evaluations_.insert_or_assign(evaluation.candidate, evaluation);
  }
  Evaluations take() { return std::move(evaluations_); }

 private:
  Evaluations evaluations_;
};

}  // namespace

std::optional<Evaluations> evaluate_all(Evaluator& evaluator, const Problem& problem,
                                        const std::vector<Candidate>& candidates, const EvaluationPolicy& policy) {
  Collector collector;
  if (!candidates.empty()) evaluator.evaluate(problem, candidates, policy, collector);
  auto evaluations = collector.take();
  if (evaluations.size() < candidates.size()) return std::nullopt;
  for (auto& [candidate, evaluation] : evaluations) evaluation.seed = policy.seed;
  return evaluations;
}

bool has_time(const Evaluation& evaluation) {
  return evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0;
}

}  // namespace gemmtune
