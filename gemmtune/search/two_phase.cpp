#include "gemmtune/search/two_phase.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/measure/ranking.h"

namespace gemmtune {
namespace {

// A right answer without a time cannot be compared with anything. Not a number compares false.
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
    if (!over_) std::erase_if(contenders_, [&](const Evaluation& e) { return e.candidate == evaluation.candidate; });
  } else if (is_contender(evaluation)) {
    (stage_ == Stage::screen ? right_ : contenders_).push_back(evaluation);
  }
}

// Fastest first. The default choice may be far behind and is moved into the first batch all the same: without it among
// the interleaved nobody knows what tuning gained.
void TwoPhaseStrategy::queue_for_confirmation() {
  std::sort(right_.begin(), right_.end(), is_faster);
  for (const Evaluation& evaluation : right_) to_confirm_.push_back(evaluation.candidate);
  const auto at = std::find(to_confirm_.begin(), to_confirm_.end(), candidates_.front());
  if (at == to_confirm_.end() || at - to_confirm_.begin() < static_cast<std::ptrdiff_t>(confirm_batch_size)) return;
  std::rotate(to_confirm_.begin() + confirm_batch_size - 1, at, at + 1);
}

bool TwoPhaseStrategy::must_confirm_more() const {
  return !to_confirm_.empty() && (which_ == Confirm::all || contenders_.empty());
}

Batch TwoPhaseStrategy::screen_batch() {
  screened_ = true;
  return hand_out(Stage::screen, candidates_);
}

Batch TwoPhaseStrategy::confirm_batch() {
  const auto count = std::min(confirm_batch_size, to_confirm_.size());
  const auto end = to_confirm_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Candidate> batch(to_confirm_.begin(), end);
  to_confirm_.erase(to_confirm_.begin(), end);
  return hand_out(Stage::confirm, std::move(batch));
}

// Ranked anew each time: without the one just disproved others may be tied.
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
