#include "gemmtune/cli/stress/stress_session.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

#include "gemmtune/core/clock.h"

namespace gemmtune {
namespace {

constexpr std::size_t asked_at_once =
    8;  // enough to launch candidates beside each other, few enough to end within a budget

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

/// The first of each family, then the second of each, and so on.
std::vector<Candidate> families_in_turn(const std::vector<Candidate>& candidates) {
  std::map<std::string, std::vector<Candidate>> by_family;
  for (const auto& candidate : candidates) by_family[candidate.family].push_back(candidate);
  std::vector<Candidate> ordered;
  for (std::size_t i = 0; ordered.size() < candidates.size(); ++i)
    for (const auto& [family, theirs] : by_family)
      if (i < theirs.size()) ordered.push_back(theirs[i]);
  return ordered;
}

/// Stresses the candidates of one problem until a deadline.
class ProblemStress final : public EvaluationObserver {
 public:
  ProblemStress(Evaluator& evaluator, const StressPlan& plan, const Problem& problem)
      : evaluator_(evaluator), plan_(plan), problem_(problem) {
    auto candidates = evaluator.candidates(problem);
    std::erase_if(candidates, [&](const Candidate& candidate) {
      return !is_named(plan.families, candidate.family) || !is_named(plan.candidates, candidate.name);
    });
    for (auto& candidate : families_in_turn(candidates))
      records_.push_back({.problem = problem, .candidate = std::move(candidate)});
  }

  std::vector<StressRecord> run(double budget_s) {
    const auto start = SteadyClock::now();
    for (std::int64_t seed = 0; seed < plan_.seeds; ++seed) {
      const auto order = candidates_of_round(seed);
      for (std::size_t first = 0; first < order.size(); first += asked_at_once) {
        if (seconds_since(start) >= budget_s) return std::move(records_);
        ask(std::span(order).subspan(first, std::min(asked_at_once, order.size() - first)), seed);
      }
    }
    return std::move(records_);
  }

  void started(const Candidate&) override {}

  void evaluated(const Evaluation& evaluation) override {
    auto& record = *std::ranges::find(records_, evaluation.candidate, &StressRecord::candidate);
    record.outcome = evaluation.outcome;
    if (!evaluation.reason.empty()) record.reason = evaluation.reason;
    if (evaluation.outcome == Outcome::ok) record.launches += plan_.launches;
  }

 private:
  /// In another order with each seed, so that a candidate runs beside other ones.
  std::vector<Candidate> candidates_of_round(std::int64_t seed) const {
    std::vector<Candidate> order;
    for (const auto& record : records_)
      if (record.outcome == Outcome::ok) order.push_back(record.candidate);
    if (seed > 0) std::ranges::shuffle(order, std::mt19937_64(static_cast<std::uint64_t>(seed)));
    return order;
  }

  void ask(std::span<const Candidate> candidates, std::int64_t seed) {
    auto policy = prove_policy();
    policy.seed = static_cast<std::uint64_t>(seed);
    evaluator_.evaluate(problem_, candidates, policy, *this);
  }

  Evaluator& evaluator_;
  const StressPlan& plan_;
  const Problem& problem_;
  std::vector<StressRecord> records_;
};

}  // namespace

std::vector<StressRecord> run_stress(Evaluator& evaluator, const StressPlan& plan) {
  const auto start = SteadyClock::now();
  std::vector<StressRecord> all;
  for (std::size_t i = 0; i < plan.problems.size(); ++i) {
    const auto left_s = plan.budget_s - seconds_since(start);
    auto records =
        ProblemStress(evaluator, plan, plan.problems[i]).run(left_s / static_cast<double>(plan.problems.size() - i));
    std::ranges::move(records, std::back_inserter(all));
  }
  return all;
}

}  // namespace gemmtune
