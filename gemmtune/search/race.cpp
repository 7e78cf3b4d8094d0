#include "gemmtune/search/race.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/measure/ranking.h"
#include "gemmtune/search/diverse_sample.h"

namespace gemmtune {
namespace {

std::vector<Candidate> without_repeats(std::vector<Candidate> candidates) {
  std::set<Candidate> seen;
  std::erase_if(candidates, [&](const Candidate& candidate) { return !seen.insert(candidate).second; });
  return candidates;
}

/// The candidates that are fastest on similar shapes, at most `count`.
std::vector<std::size_t> best_heard_of(std::span<const Candidate> candidates, const Hearsay& hearsay,
                                       std::size_t count) {
  std::vector<std::pair<double, std::size_t>> heard;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (const auto* log_time = hearsay.find(candidates[i])) heard.emplace_back(*log_time, i);
  std::ranges::sort(heard);
  heard.resize(std::min(heard.size(), count));
  std::vector<std::size_t> best;
  for (const auto& [log_time, i] : heard) best.push_back(i);
  return best;
}

}  // namespace

RaceStrategy::RaceStrategy(std::vector<Candidate> candidates, RaceRules rules, const Hearsay& hearsay)
    : candidates_(without_repeats(std::move(candidates))),
      rules_(std::move(rules)),
      recommended_(best_heard_of(candidates_, hearsay, rules_.recommended)),
      standings_(candidates_) {}

Batch RaceStrategy::ask() {
  if (answers_.size() < asked_.size()) {
    fail(ErrorCode::internal, "a strategy was asked before all of its last batch was told");
  }
  if (over_) return {};
  if (screening_) {
    auto wave = next_wave();
    if (!wave.empty()) return hand_out({.stage = Stage::screen}, std::move(wave));
    screening_ = false;
  }
  return must_race() ? race_batch() : prove_batch();
}

void RaceStrategy::tell(const Evaluation& evaluation) {
  const bool asked_for = evaluation.stage == batch_.stage && answers_.size() < asked_.size() &&
                         std::ranges::count(batch_.candidates, evaluation.candidate) > 0 &&
                         std::ranges::count(answers_, evaluation.candidate, &Evaluation::candidate) == 0;
  if (!asked_for) {
    fail(ErrorCode::internal, "a strategy was told of {} ({}), which it had not asked for", evaluation.candidate.name,
         to_string(evaluation.stage));
  }
  answers_.push_back(evaluation);
  if (answers_.size() == asked_.size()) settle_batch();
}

std::optional<RegretClaim> RaceStrategy::claim() const {
  if (!winner_) return std::nullopt;
  return RegretClaim{.regret = standings_.regret_bound(*winner_, rules_.probability),
                     .probability = rules_.probability};
}

Batch RaceStrategy::hand_out(Batch batch, Indices indices) {
  asked_ = std::move(indices);
  answers_.clear();
  for (const auto i : asked_) batch.candidates.push_back(candidates_[i]);
  batch_ = batch;
  return batch;
}

// Answers arrive in any order.
void RaceStrategy::settle_batch() {
  std::ranges::sort(answers_, {}, [&](const Evaluation& answer) {
    return std::ranges::find(batch_.candidates, answer.candidate) - batch_.candidates.begin();
  });
  if (batch_.stage == Stage::prove) return settle_proof();
  const bool is_final = batch_.stage == Stage::confirm && batch_.samples == 0;
  const auto look = batch_.stage == Stage::screen ? Look::screened : is_final ? Look::confirmed : Look::raced;
  standings_.take(asked_, answers_, look);
  const auto default_choice = std::ranges::find(asked_, std::size_t{0});
  if (look == Look::screened && default_choice != asked_.end())
    default_is_inaccurate_ = is_merely_inaccurate(answers_[static_cast<std::size_t>(default_choice - asked_.begin())]);
  if (look == Look::raced) narrow_field();
  if (!is_final) return;
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (!standings_[asked_[i]].out) confirmed_.push_back(answers_[i]);
}

void RaceStrategy::settle_proof() {
  const auto& proof = answers_.front();
  if (proof.outcome == Outcome::ok) {
    over_ = true;
    winner_ = asked_.front();
    return;
  }
  disproved_ = true;
  standings_.exclude(asked_.front());
  std::erase_if(confirmed_, [&](const Evaluation& e) { return e.candidate == proof.candidate; });
}

RaceStrategy::Indices RaceStrategy::next_wave() {
  const auto unseen = standings_.not_looked_at();
  if (unseen.empty()) return {};
  if (unseen.size() == candidates_.size()) return first_wave();
  if (standings_.fastest()) return promising();
  return {unseen.begin(), unseen.begin() + static_cast<std::ptrdiff_t>(std::min(unseen.size(), rules_.wave))};
}

// Half of the wave are the candidates that the families list first, since their order reflects what is usually fast.
// The other half differ from those and from each other, so that no part of the space stays unknown. The candidates that
// were fastest on similar shapes are added.
RaceStrategy::Indices RaceStrategy::first_wave() const {
  if (candidates_.size() <= rules_.first_wave) {
    Indices all(candidates_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  auto chosen = recommended_;
  for (const auto i : first_of_each_family(candidates_, rules_.first_wave / 2))
    if (std::ranges::count(chosen, i) == 0) chosen.push_back(i);
  return most_diverse(candidates_, std::move(chosen), rules_.first_wave + recommended_.size());
}

RaceStrategy::Indices RaceStrategy::promising() {
  standings_.forecast();
  auto unseen = standings_.not_looked_at();
  const auto& best = standings_[*standings_.fastest()].log_time;
  const auto chance = [&](std::size_t i) {
    return chance_to_beat(standings_[i].log_time, best, 1 / (1 + rules_.regret));
  };
  double sum = 0;
  for (const auto i : unseen) sum += chance(i);
  if (sum <= (1 - rules_.probability) / 2) return {};
  const auto seen = candidates_.size() - unseen.size();
  const auto count = std::min(unseen.size(), std::max(rules_.wave, seen / 8));
  std::ranges::stable_sort(unseen, std::greater<>(), chance);
  unseen.resize(count);
  return unseen;
}

// After a disproved winner, a candidate that dropped out may be faster than the remaining finalists.
bool RaceStrategy::must_race() const {
  if (!field_.empty() || confirmed_.empty()) return true;
  if (!disproved_) return false;
  const auto fastest = standings_.fastest();
  return fastest && standings_[*fastest].look != Look::confirmed;
}

RaceStrategy::Indices RaceStrategy::field() const {
  Indices waiting;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (standings_[i].runs() && standings_[i].look != Look::confirmed) waiting.push_back(i);
  std::ranges::stable_sort(waiting, {}, [&](std::size_t i) { return standings_[i].log_time.mean; });
  if (waiting.empty()) return waiting;
  const auto best = standings_[waiting.front()].log_time;
  std::erase_if(waiting, [&](std::size_t i) { return chance_to_beat(standings_[i].log_time, best) < rules_.drop; });
  waiting.resize(std::min(waiting.size(), rules_.field));
  return waiting;
}

Batch RaceStrategy::race_batch() {
  if (field_.empty()) field_ = field();
  if (field_.empty()) return prove_batch();
  if (field_.size() > rules_.finalists && round_ < rules_.rounds.size())
    return hand_out({.stage = Stage::confirm, .samples = rules_.rounds[round_++]}, field_);
  round_ = rules_.rounds.size();
  return hand_out({.stage = Stage::confirm}, take_finalists());
}

void RaceStrategy::narrow_field() {
  std::erase_if(field_, [&](std::size_t i) { return standings_[i].out; });
  if (field_.empty()) return;
  std::ranges::stable_sort(field_, {}, [&](std::size_t i) { return standings_[i].log_time.mean; });
  const auto best = standings_[field_.front()].log_time;
  std::erase_if(field_, [&](std::size_t i) { return chance_to_beat(standings_[i].log_time, best) < rules_.drop; });
}

// The default choice is confirmed with the first finalists, however slow or inaccurate it is: tuning's gain is stated
// against it.
RaceStrategy::Indices RaceStrategy::take_finalists() {
  auto finalists = std::exchange(field_, {});
  finalists.resize(std::min(finalists.size(), rules_.finalists));
  const auto& default_choice = standings_[0];
  if ((default_choice.runs() || default_is_inaccurate_) && default_choice.look != Look::confirmed &&
      std::ranges::count(finalists, std::size_t{0}) == 0)
    finalists.push_back(0);
  return finalists;
}

// Ranks anew each time: without the candidate just disproved, others may be tied.
Batch RaceStrategy::prove_batch() {
  const auto order = rank(confirmed_).order;
  if (order.empty()) {
    over_ = true;
    return {};
  }
  const auto& best = confirmed_[order.front()].candidate;
  return hand_out({.stage = Stage::prove},
                  {static_cast<std::size_t>(std::ranges::find(candidates_, best) - candidates_.begin())});
}

}  // namespace gemmtune
