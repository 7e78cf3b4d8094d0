#include "gemmtune/tune/evidence.h"

#include <algorithm>

#include "gemmtune/measure/pooling.h"

namespace gemmtune {

void Evidence::begin(const Batch& batch) {
  is_round_ = batch.samples > 0;
  if (is_round_)
    last_round_.clear();
  else if (batch.stage == Stage::confirm)
    confirmations_.emplace_back();
}

void Evidence::add(const Evaluation& evaluation) {
  if (is_round_ && evaluation.outcome == Outcome::ok)
    last_round_.push_back(evaluation);
  else if (!is_round_ && evaluation.stage == Stage::confirm && evaluation.timing.median_us > 0)
    confirmations_.back().push_back(evaluation);
  else
    told_.push_back(evaluation);
}

void Evidence::correct(const Evaluation& evaluation) {
  const auto is_earlier = [&](const Evaluation& e) { return e.candidate == evaluation.candidate; };
  for (auto& confirmation : confirmations_) std::erase_if(confirmation, is_earlier);
  const auto last = std::find_if(confirmations_.rbegin(), confirmations_.rend(),
                                 [](const auto& confirmation) { return !confirmation.empty(); });
  (last == confirmations_.rend() ? confirmations_.back() : *last).push_back(evaluation);
}

std::vector<Evaluation> Evidence::decisive() const {
  auto evaluations = told_;
  const auto confirmed = pooled(confirmations_);
  const bool is_confirmed =
      std::ranges::any_of(confirmed, [](const Evaluation& e) { return e.outcome == Outcome::ok; });
  if (!is_confirmed) evaluations.insert(evaluations.end(), last_round_.begin(), last_round_.end());
  evaluations.insert(evaluations.end(), confirmed.begin(), confirmed.end());
  return evaluations;
}

std::vector<TimedCandidate> Evidence::times() const {
  std::vector<TimedCandidate> times;
  const auto confirmed = pooled(confirmations_);
  for (const auto* evaluations : {&told_, &last_round_, &confirmed})
    for (const auto& one : *evaluations)
      if (one.outcome == Outcome::ok) times.push_back({one.candidate.family, one.candidate.name, one.timing.median_us});
  return times;
}

}  // namespace gemmtune
