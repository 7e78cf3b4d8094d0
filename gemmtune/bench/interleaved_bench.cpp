#include "gemmtune/bench/interleaved_bench.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "gemmtune/bench/evaluate_all.h"
#include "gemmtune/measure/ranking.h"
#include "gemmtune/tune/evidence.h"
#include "gemmtune/tune/shape_run.h"
#include "gemmtune/tune/verdict.h"

namespace gemmtune {
namespace {

std::vector<Candidate> distinct(const std::vector<Contender>& contenders) {
  std::vector<Candidate> candidates;
  for (const auto& contender : contenders)
    if (!contender.candidate.name.empty() && std::ranges::find(candidates, contender.candidate) == candidates.end())
      candidates.push_back(contender.candidate);
  return candidates;
}

double best_time_us(const Evaluations& evaluations) {
  double best_us = std::numeric_limits<double>::infinity();
  for (const auto& [candidate, e] : evaluations)
    if (has_time(e)) best_us = std::min(best_us, e.timing.median_us);
  return best_us;
}

/// The candidates that are right and not too slow, in the order in which they were asked for. On a busy machine all
/// but one of the few samples of a screening may be slow, so the fastest sample decides.
std::vector<Candidate> right_ones(const std::vector<Candidate>& asked, const Evaluations& evaluations,
                                  double slowest_us = std::numeric_limits<double>::infinity()) {
  std::vector<Candidate> right;
  for (const auto& candidate : asked) {
    const auto at = evaluations.find(candidate);
    if (at != evaluations.end() && has_time(at->second) && at->second.timing.min_us <= slowest_us)
      right.push_back(candidate);
  }
  return right;
}

/// The candidates of one shape on their way through the stages.
class Heat {
 public:
  Heat(Evaluator& evaluator, const Problem& problem, const BenchPlan& plan)
      : evaluator_(evaluator), problem_(problem), plan_(plan) {}

  bool run(const std::vector<Candidate>& candidates) {
    if (!stage(candidates, plan_.tune.screen) || !screen_laggards_again(candidates)) return false;
    const auto finalists = contenders_of(candidates);
    if (!stage(finalists, plan_.tune.confirm)) return false;
    confirmed_ = {finalists.begin(), finalists.end()};
    return !plan_.prove || prove(right_ones(candidates, known_));
  }

  MeasuredContender result_for(const Contender& contender) const {
    if (contender.candidate.name.empty())
      return {contender, {.outcome = Outcome::unsupported, .reason = contender.why_none}};
    MeasuredContender result{contender, known_.at(contender.candidate)};
    result.screened_only = has_time(result.evaluation) && !confirmed_.contains(contender.candidate);
    if (result.evaluation.outcome != Outcome::ok) result.evaluation.timing = {};
    return result;
  }

 private:
  std::vector<Candidate> contenders_of(const std::vector<Candidate>& candidates) const {
    return right_ones(candidates, known_, far_behind * best_time_us(known_));
  }

  /// Threads that wait for each other take a hundred times as long while other work has one of the cores. A candidate
  /// that is far behind may only have been unlucky.
  bool screen_laggards_again(const std::vector<Candidate>& candidates) {
    auto laggards = right_ones(candidates, known_);
    const auto others = contenders_of(candidates);
    std::erase_if(laggards,
                  [&](const auto& candidate) { return std::ranges::find(others, candidate) != others.end(); });
    auto again = evaluate_all(evaluator_, problem_, laggards, plan_.tune.screen);
    if (!again) return false;
    for (auto& [candidate, evaluation] : *again)
      if (!has_time(evaluation) || evaluation.timing.min_us < known_.at(candidate).timing.min_us)
        known_.insert_or_assign(candidate, std::move(evaluation));
    return true;
  }

  bool stage(const std::vector<Candidate>& candidates, const EvaluationPolicy& policy) {
    auto evaluations = evaluate_all(evaluator_, problem_, candidates, policy);
    if (!evaluations) return false;
    for (auto& [candidate, evaluation] : *evaluations) known_.insert_or_assign(candidate, std::move(evaluation));
    return true;
  }

  /// A proof times nothing. A candidate that passes it keeps its time.
  bool prove(const std::vector<Candidate>& candidates) {
    auto proofs = evaluate_all(evaluator_, problem_, candidates, plan_.tune.prove);
    if (!proofs) return false;
    for (auto& [candidate, proof] : *proofs)
      if (proof.outcome != Outcome::ok) known_.insert_or_assign(candidate, std::move(proof));
    return true;
  }

  Evaluator& evaluator_;
  const Problem& problem_;
  const BenchPlan& plan_;
  Evaluations known_;
  std::set<Candidate> confirmed_;
};

/// Uses tuning's rule for ties.
std::vector<std::size_t> winners_of(const std::vector<MeasuredContender>& contenders) {
  std::vector<Evaluation> evaluations;
  for (const auto& measured : contenders) evaluations.push_back(measured.evaluation);
  auto tied = rank(evaluations).tied;
  std::ranges::sort(tied);
  return tied;
}

}  // namespace

std::optional<ShapeBench> measure_interleaved(Evaluator& evaluator, const Problem& problem,
                                              const std::vector<Contender>& contenders, const BenchPlan& plan) {
  Heat heat(evaluator, problem, plan);
  if (!heat.run(distinct(contenders))) return std::nullopt;
  ShapeBench shape{.problem = problem};
  for (const auto& contender : contenders) shape.contenders.push_back(heat.result_for(contender));
  shape.winners = winners_of(shape.contenders);
  return shape;
}

std::optional<ShapeResult> search_best(Evaluator& evaluator, const Problem& problem,
                                       const std::vector<Candidate>& candidates, const TunePlan& plan) {
  const auto strategy = make_strategy(plan.search, candidates, {}, plan.regret);
  evaluator.expect(problem, candidates);
  Evidence evidence;
  for (auto batch = strategy->ask(); !batch.empty(); batch = strategy->ask()) {
    evidence.begin(batch);
    const auto evaluations = evaluate_all(evaluator, problem, batch.candidates, policy_of(plan, batch));
    if (!evaluations) return std::nullopt;
    for (const auto& [candidate, evaluation] : *evaluations) {
      evidence.add(evaluation);
      strategy->tell(evaluation);
    }
  }
  return with_verdict({.complete = true}, evidence.decisive(), candidates.front());
}

}  // namespace gemmtune
