#include "gemmtune/tune/evidence.h"

#include <algorithm>

namespace gemmtune {

void Evidence::begin(const Batch& batch) {
  is_round_ = batch.samples > 0;
  if (is_round_) last_round_.clear();
}

void Evidence::add(const Evaluation& evaluation) {
  (is_round_ && evaluation.outcome == Outcome::ok ? last_round_ : told_).push_back(evaluation);
}

std::vector<Evaluation> Evidence::decisive() const {
  auto evaluations = told_;
  const bool confirmed = std::ranges::any_of(
      told_, [](const Evaluation& e) { return e.stage == Stage::confirm && e.outcome == Outcome::ok; });
  if (!confirmed) evaluations.insert(evaluations.end(), last_round_.begin(), last_round_.end());
  return evaluations;
}

std::vector<TimedCandidate> Evidence::times() const {
  std::vector<TimedCandidate> times;
  for (const auto* evaluations : {&told_, &last_round_})
    for (const auto& one : *evaluations)
      if (one.outcome == Outcome::ok) times.push_back({one.candidate.family, one.candidate.name, one.timing.median_us});
  return times;
}

}  // namespace gemmtune
