#include "gemmtune/bench/family_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "gemmtune/bench/evaluate_all.h"

namespace gemmtune {
namespace {

constexpr std::size_t finalists_of_a_family = 3;
constexpr double near = 1.1;  // times the family's best in the screening: others are no finalists

class FamilySearch {
 public:
  FamilySearch(Evaluator& evaluator, const Problem& problem, const TunePlan& plan)
      : evaluator_(evaluator), problem_(problem), plan_(plan) {}

  std::optional<std::map<std::string, FamilyBest>> run(const std::vector<Candidate>& candidates) {
    for (const auto& candidate : candidates) by_family_[candidate.family].push_back(candidate);
    for (const auto& [family, theirs] : by_family_) counts_[family] = theirs.size();
    evaluator_.expect(problem_, candidates);
    if (!stage(candidates, plan_.screen)) return std::nullopt;
    for (auto& [family, theirs] : by_family_) keep_finalists(theirs);
    if (!stage(right_ones(), plan_.confirm)) return std::nullopt;
    while (!next_to_prove().empty())
      if (!prove(next_to_prove())) return std::nullopt;
    return found();
  }

 private:
  bool stage(const std::vector<Candidate>& candidates, const EvaluationPolicy& policy) {
    auto evaluations = evaluate_all(evaluator_, problem_, candidates, policy);
    if (!evaluations) return false;
    for (auto& [candidate, evaluation] : *evaluations) known_.insert_or_assign(candidate, std::move(evaluation));
    return true;
  }

  double time_us(const Candidate& candidate) const { return known_.at(candidate).timing.median_us; }

  bool runs(const Candidate& candidate) const { return has_time(known_.at(candidate)); }

  /// In place of all that were screened. If none is right, the first one stays, to say why.
  void keep_finalists(std::vector<Candidate>& candidates) const {
    const auto first = candidates.front();
    std::erase_if(candidates, [&](const Candidate& candidate) { return !runs(candidate); });
    if (candidates.empty()) {
      candidates.push_back(first);
      return;
    }
    std::ranges::stable_sort(candidates, {}, [&](const Candidate& candidate) { return time_us(candidate); });
    const auto most_us = near * time_us(candidates.front());
    std::erase_if(candidates, [&](const Candidate& candidate) { return time_us(candidate) > most_us; });
    candidates.resize(std::min(candidates.size(), finalists_of_a_family));
  }

  std::vector<Candidate> right_ones() const {
    std::vector<Candidate> all;
    for (const auto& [family, candidates] : by_family_)
      std::ranges::copy_if(candidates, std::back_inserter(all), [&](const auto& candidate) { return runs(candidate); });
    return all;
  }

  const Candidate* fastest_of(const std::vector<Candidate>& candidates) const {
    const Candidate* fastest = nullptr;
    for (const auto& candidate : candidates)
      if (runs(candidate) && (fastest == nullptr || time_us(candidate) < time_us(*fastest))) fastest = &candidate;
    return fastest;
  }

  std::vector<Candidate> next_to_prove() const {
    std::vector<Candidate> next;
    for (const auto& [family, candidates] : by_family_)
      if (const auto* fastest = fastest_of(candidates); fastest != nullptr && !proven_.contains(*fastest))
        next.push_back(*fastest);
    return next;
  }

  /// A proof times nothing. A candidate that passes it keeps its time.
  bool prove(const std::vector<Candidate>& candidates) {
    auto proofs = evaluate_all(evaluator_, problem_, candidates, plan_.prove);
    if (!proofs) return false;
    for (auto& [candidate, proof] : *proofs) {
      if (proof.outcome == Outcome::ok)
        proven_.insert(candidate);
      else
        known_.insert_or_assign(candidate, std::move(proof));
    }
    return true;
  }

  std::map<std::string, FamilyBest> found() const {
    std::map<std::string, FamilyBest> best;
    for (const auto& [family, candidates] : by_family_) {
      if (const auto* fastest = fastest_of(candidates)) {
        best[family].candidate = *fastest;
        continue;
      }
      const auto& first = known_.at(candidates.front());
      best[family].why_none = fmt::format("none of {} candidates is right, the first is {}: {}", counts_.at(family),
                                          to_string(first.outcome), first.reason);
    }
    return best;
  }

  Evaluator& evaluator_;
  const Problem& problem_;
  const TunePlan& plan_;
  std::map<std::string, std::vector<Candidate>> by_family_;
  std::map<std::string, std::size_t> counts_;  // of those that were screened
  Evaluations known_;
  std::set<Candidate> proven_;
};

}  // namespace

std::optional<std::map<std::string, FamilyBest>> search_together(Evaluator& evaluator, const Problem& problem,
                                                                 const std::vector<Candidate>& candidates,
                                                                 const TunePlan& plan) {
  return FamilySearch(evaluator, problem, plan).run(candidates);
}

}  // namespace gemmtune
