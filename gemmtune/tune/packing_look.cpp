#include "gemmtune/tune/packing_look.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace gemmtune {
namespace {

constexpr std::size_t most_layers = 4;
constexpr std::int64_t most_of_a_family = 4;
constexpr std::int64_t samples = 16;
constexpr double least_us = 20;
constexpr double least_gain = 1.1;

class Collector final : public EvaluationObserver {
 public:
  void started(const Candidate&) override {}
  void evaluated(const Evaluation& evaluation) override {
    if (evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0) timed.push_back(evaluation);
  }

  std::vector<Evaluation> timed{};
};

double all_calls_us(const ShapeResult& result) { return result.shape.weight * result.winner->timing.median_us; }

Problem layer_of(Problem problem) {
  problem.m = 0;
  return problem;
}

Problem packed(Problem problem) {
  problem.packed = true;
  return problem;
}

/// The first ones of each family that had a finalist: their own choices come first.
std::vector<Candidate> few_candidates(Evaluator& evaluator, const ShapeResult& result) {
  std::set<std::string> families{result.winner->candidate.family};
  for (const auto& finalist : result.confirmed) families.insert(finalist.candidate.family);
  std::map<std::string, std::int64_t> taken;
  std::vector<Candidate> few;
  for (auto& candidate : evaluator.candidates(packed(result.shape.problem)))
    if (families.contains(candidate.family) && taken[candidate.family]++ < most_of_a_family)
      few.push_back(std::move(candidate));
  return few;
}

std::optional<Evaluation> fastest(Evaluator& evaluator, const Problem& problem, std::span<const Candidate> candidates,
                                  const EvaluationPolicy& policy) {
  Collector collector;
  if (!candidates.empty()) evaluator.evaluate(problem, candidates, policy, collector);
  const auto at = std::ranges::min_element(collector.timed, {}, [](const auto& e) { return e.timing.median_us; });
  return at == collector.timed.end() ? std::nullopt : std::optional(*at);
}

std::optional<PackingGain> gain_of(Evaluator& evaluator, const ShapeResult& result, const TunePlan& plan) {
  const auto& problem = result.shape.problem;
  const auto best = fastest(evaluator, packed(problem), few_candidates(evaluator, result), plan.screen);
  if (!best || best->timing.median_us * least_gain > result.winner->timing.median_us) return std::nullopt;
  const auto policy = with_samples(plan.confirm, samples);
  const auto with = fastest(evaluator, packed(problem), std::span(&best->candidate, 1), policy);
  const auto without = fastest(evaluator, problem, std::span(&result.winner->candidate, 1), policy);
  if (!with || !without) return std::nullopt;
  const double to_beat_us = std::min(without->timing.low_us, result.winner->timing.median_us);
  if (with->timing.high_us * least_gain > to_beat_us) return std::nullopt;
  return PackingGain{.problem = problem,
                     .kernel = with->candidate.name,
                     .packed_us = with->timing.median_us,
                     .unpacked_us = without->timing.median_us};
}

}  // namespace

std::vector<const ShapeResult*> worth_a_look_at_packing(std::span<const ShapeResult> results) {
  std::map<Problem, const ShapeResult*> by_layer;
  for (const auto& result : results) {
    if (!result.winner || result.shape.problem.packed || result.winner->timing.median_us < least_us) continue;
    auto& longest = by_layer[layer_of(result.shape.problem)];
    if (longest == nullptr || all_calls_us(result) > all_calls_us(*longest)) longest = &result;
  }
  std::vector<const ShapeResult*> worth;
  for (const auto& [layer, result] : by_layer) worth.push_back(result);
  std::ranges::stable_sort(worth, std::greater{}, [](const auto* result) { return all_calls_us(*result); });
  worth.resize(std::min(worth.size(), most_layers));
  return worth;
}

std::vector<PackingGain> look_at_packing(Evaluator& evaluator, std::span<const ShapeResult* const> results,
                                         const TunePlan& plan, const std::atomic<bool>& stop) {
  std::vector<PackingGain> gains;
  for (const auto* result : results) {
    if (stop) break;
    if (auto gain = gain_of(evaluator, *result, plan)) gains.push_back(std::move(*gain));
  }
  return gains;
}

}  // namespace gemmtune
