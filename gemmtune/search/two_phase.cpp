#include "gemmtune/search/two_phase.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/measure/ranking.h"

namespace gemmtune {
namespace {

/// Twice as slow as the fastest.
constexpr double too_slow_factor = 2.0;

// A right answer without a time cannot be ranked. The comparison is false for NaN too.
bool is_contender(const Evaluation& evaluation) {
  return evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0;
}

bool is_faster(const Evaluation& a, const Evaluation& b) {
  if (a.timing.median_us != b.timing.median_us) return a.timing.median_us < b.timing.median_us;
  return a.candidate < b.candidate;
}

std::vector<Candidate> without_repeats(std::vector<Candidate> candidates) {
  std::set<Candidate> seen;
  std::erase_if(candidates, [&](const Candidate& candidate) { return !seen.insert(candidate).second; });
  return candidates;
}

}  // namespace

TwoPhaseStrategy::TwoPhaseStrategy(std::vector<Candidate> candidates, Confirm which)
    : which_(which), candidates_(without_repeats(std::move(candidates))) {}

std::string_view TwoPhaseStrategy::name() const { return which_ == Confirm::all ? "exhaustive" : "screen"; }

Batch TwoPhaseStrategy::ask() {
  if (!pending_.empty()) fail(ErrorCode::internal, "a strategy was asked before all of its last batch was told");
  if (over_) return {};
  if (!screened_) return screen_batch();
  if (must_confirm_more()) return confirm_batch();
  return prove_batch();
}

void TwoPhaseStrategy::tell(const Evaluation& evaluation) {
  if (evaluation.stage != stage_ || pending_.erase(evaluation.candidate) == 0) {
    fail(ErrorCode::internal, "a strategy was told of {} ({}), which it had not asked for", evaluation.candidate.name,
         to_string(evaluation.stage));
  }
  take(evaluation);
  if (stage_ == Stage::screen && pending_.empty()) queue_for_confirmation();
}

void TwoPhaseStrategy::take(const Evaluation& evaluation) {
  if (stage_ == Stage::prove) {
    over_ = evaluation.outcome == Outcome::ok;
    disproved_ = disproved_ || !over_;
    if (!over_) std::erase_if(contenders_, [&](const Evaluation& e) { return e.candidate == evaluation.candidate; });
  } else if (is_contender(evaluation)) {
    (stage_ == Stage::screen ? right_ : contenders_).push_back(evaluation);
  } else if (stage_ == Stage::screen && evaluation.candidate == candidates_.front()) {
    default_is_inaccurate_ = is_merely_inaccurate(evaluation);
  }
}

void TwoPhaseStrategy::queue_for_confirmation() {
  to_confirm_ = right_;
  std::sort(to_confirm_.begin(), to_confirm_.end(), is_faster);
}

bool TwoPhaseStrategy::must_confirm_more() const {
  return !to_confirm_.empty() && (which_ == Confirm::all || contenders_.empty() || a_faster_one_waits());
}

// When all of the fastest are wrong in the same way, only the default choice may be left of the first batch.
bool TwoPhaseStrategy::a_faster_one_waits() const {
  return disproved_ && std::ranges::none_of(contenders_, [&](const Evaluation& contender) {
           return contender.timing.median_us <= to_confirm_.front().timing.median_us;
         });
}

Batch TwoPhaseStrategy::screen_batch() {
  screened_ = true;
  return hand_out(Stage::screen, candidates_);
}

// A candidate that screening saw at twice the time of the fastest will not win, and confirming it would take longest.
std::size_t TwoPhaseStrategy::next_batch_size() const {
  const auto most = std::min(confirm_batch_size, to_confirm_.size());
  if (which_ == Confirm::all) return most;
  const double reach_us = too_slow_factor * to_confirm_.front().timing.median_us;
  std::size_t count = 1;
  while (count < most && to_confirm_[count].timing.median_us <= reach_us) ++count;
  return count;
}

Batch TwoPhaseStrategy::confirm_batch() {
  const auto end = to_confirm_.begin() + static_cast<std::ptrdiff_t>(with_default(next_batch_size()));
  std::vector<Candidate> batch;
  for (auto it = to_confirm_.begin(); it != end; ++it) batch.push_back(it->candidate);
  to_confirm_.erase(to_confirm_.begin(), end);
  if (std::exchange(default_is_inaccurate_, false)) batch.push_back(candidates_.front());
  return hand_out(Stage::confirm, std::move(batch));
}

// Moves the default choice into the first batch, however slow it is: tuning's gain is measured against it in the same
// interleaved run. Returns the size of the batch with it.
std::size_t TwoPhaseStrategy::with_default(std::size_t count) {
  const auto behind = to_confirm_.begin() + static_cast<std::ptrdiff_t>(count);
  const auto at =
      std::find_if(behind, to_confirm_.end(), [&](const Evaluation& e) { return e.candidate == candidates_.front(); });
  if (at == to_confirm_.end()) return count;
  count = std::min(count, confirm_batch_size - 1);
  std::rotate(to_confirm_.begin() + static_cast<std::ptrdiff_t>(count), at, at + 1);
  return count + 1;
}

// Ranks anew each time: without the candidate just disproved, others may be tied.
Batch TwoPhaseStrategy::prove_batch() {
  const auto order = rank(contenders_).order;
  if (order.empty()) {
    over_ = true;
    return {};
  }
  return hand_out(Stage::prove, {contenders_[order.front()].candidate});
}

Batch TwoPhaseStrategy::hand_out(Stage stage, std::vector<Candidate> candidates) {
  stage_ = stage;
  pending_ = {candidates.begin(), candidates.end()};
  return {stage, std::move(candidates)};
}

}  // namespace gemmtune
