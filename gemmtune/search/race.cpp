#include "gemmtune/search/race.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/measure/pooling.h"
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

std::size_t index_of(std::span<const Candidate> candidates, const Candidate& candidate) {
  return static_cast<std::size_t>(std::ranges::find(candidates, candidate) - candidates.begin());
}

/// Moves `count` of them, drawn at random, to the front. No standard distribution is used: they differ between
/// libraries, and a search that is resumed must draw the same.
void draw_to_front(std::vector<std::size_t>& indices, std::size_t count, std::mt19937_64& engine) {
  for (std::size_t i = 0; i < count; ++i) std::swap(indices[i], indices[i + engine() % (indices.size() - i)]);
}

/// Two candidates whose times differ by more are not turned around by where their operands lie.
constexpr double reach_of_placement = 0.05;

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
  if (must_race()) return race_batch();
  auto again = to_confirm_again();
  return again.empty() ? prove_batch() : hand_out_timed({.stage = Stage::confirm, .again = true}, std::move(again));
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

std::vector<Candidate> RaceStrategy::likely_next() const {
  std::vector<Candidate> next;
  for (const auto i : likely_) next.push_back(candidates_[i]);
  return next;
}

std::optional<RegretClaim> RaceStrategy::claim() const {
  if (!winner_) return std::nullopt;
  RegretClaim claim{.regret = standings_.regret_bound(*winner_, rules_.probability),
                    .probability = rules_.probability,
                    .target = rules_.regret,
                    .unseen = standings_.not_looked_at().size(),
                    .drawn = drawn_};
  if (claim.unseen > 0) claim.unseen_faster = largest_share_unseen(drawn_, claim.probability);
  return claim;
}

Batch RaceStrategy::hand_out(Batch batch, Indices indices) {
  asked_ = std::move(indices);
  answers_.clear();
  for (const auto i : asked_) batch.candidates.push_back(candidates_[i]);
  batch_ = batch;
  return batch;
}

// Each time their operands lie elsewhere, and they run in another order, so that no candidate keeps what its place
// happened to give it: a machine that heats up treats the first one and the last one differently.
Batch RaceStrategy::hand_out_timed(Batch batch, Indices indices) {
  batch.placement = placement_++;
  draw_to_front(indices, indices.size(), engine_);
  return hand_out(std::move(batch), std::move(indices));
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
  confirmations_.push_back(answers_);
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
}

RaceStrategy::Indices RaceStrategy::next_wave() {
  likely_.clear();
  const auto unseen = standings_.not_looked_at();
  if (unseen.empty()) return {};
  if (unseen.size() == candidates_.size()) return first_wave();
  if (standings_.fastest()) {
    auto wave = promising();
    return wave.empty() ? drawn_at_random() : wave;
  }
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
    return chance_to_beat(standings_[i].log_time, best, 1 / (1 + rules_.gain));
  };
  double sum = 0;
  for (const auto i : unseen) sum += chance(i);
  if (sum <= (1 - rules_.probability) / 2) return {};
  const auto seen = candidates_.size() - unseen.size();
  const auto count = std::min(unseen.size(), std::max(rules_.wave, seen / 8));
  std::ranges::stable_sort(unseen, std::greater<>(), chance);
  const auto end = static_cast<std::ptrdiff_t>(std::min(unseen.size(), count + rules_.likely));
  likely_.assign(unseen.begin() + static_cast<std::ptrdiff_t>(count), unseen.begin() + end);
  unseen.resize(count);
  return unseen;
}

// What the forecast does not expect, it does not look for. Candidates drawn at random show how much of that there is;
// what they teach may make others promising.
RaceStrategy::Indices RaceStrategy::drawn_at_random() {
  auto unseen = standings_.not_looked_at();
  const auto seen = static_cast<double>(candidates_.size() - unseen.size());
  const auto wanted = static_cast<std::size_t>(std::ceil(rules_.drawn * seen));
  if (wanted <= drawn_) return {};
  const auto count = std::min(unseen.size(), wanted - drawn_);
  draw_to_front(unseen, count, engine_);
  unseen.resize(count);
  drawn_ += count;
  return unseen;
}

// After a disproved winner, a candidate that dropped out may be faster than the remaining finalists.
bool RaceStrategy::must_race() const {
  if (!field_.empty() || !leader()) return true;
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
    return hand_out_timed({.stage = Stage::confirm, .samples = rules_.rounds[round_++]}, field_);
  const bool raced_before = round_ > 0;
  round_ = rules_.rounds.size();
  return hand_out_timed({.stage = Stage::confirm, .again = raced_before}, take_finalists());
}

void RaceStrategy::narrow_field() {
  std::erase_if(field_, [&](std::size_t i) { return standings_[i].out; });
  if (field_.empty()) return;
  std::ranges::stable_sort(field_, {}, [&](std::size_t i) { return standings_[i].log_time.mean; });
  const auto best = standings_[field_.front()].log_time;
  std::erase_if(field_, [&](std::size_t i) { return chance_to_beat(standings_[i].log_time, best) < rules_.drop; });
}

// The default choice is confirmed with the first finalists, however slow or inaccurate it is: tuning's gain is stated
// against it. The best of those confirmed before is confirmed again, so that there is something to compare with.
RaceStrategy::Indices RaceStrategy::take_finalists() {
  auto finalists = std::exchange(field_, {});
  finalists.resize(std::min(finalists.size(), rules_.finalists));
  const auto add = [&](std::size_t one) {
    if (std::ranges::count(finalists, one) == 0) finalists.push_back(one);
  };
  if (const auto best = leader()) add(*best);
  const auto& default_choice = standings_[0];
  if ((default_choice.runs() || default_is_inaccurate_) && confirmations_.empty()) add(0);
  return finalists;
}

/// What all confirmations together say of the candidates that are still right.
std::vector<Evaluation> RaceStrategy::finals() const {
  auto all = pooled(confirmations_);
  std::erase_if(all, [&](const Evaluation& e) { return standings_[index_of(candidates_, e.candidate)].out; });
  return all;
}

// Ranks anew each time: without a candidate that was disproved, others may be tied.
std::optional<std::size_t> RaceStrategy::leader() const {
  const auto all = finals();
  const auto order = rank(all).order;
  if (order.empty()) return std::nullopt;
  return index_of(candidates_, all[order.front()].candidate);
}

/// Whether other placements may turn their order around.
bool RaceStrategy::is_near(std::size_t one, std::size_t winner) const {
  return standings_[one].log_time.mean - standings_[winner].log_time.mean < reach_of_placement;
}

// The first confirmation does not show what a placement gives: the candidates near the winner are confirmed again.
// After that, the candidates that may be faster than the winner by more than the target regret are confirmed again.
RaceStrategy::Indices RaceStrategy::to_confirm_again() const {
  const auto winner = *leader();
  const bool is_second = confirmations_.size() == 1;
  if (confirmations_.size() >= rules_.confirmations) return {};
  if (!is_second && standings_.regret_bound(winner, rules_.probability) <= rules_.regret) return {};
  const auto chance = [&](std::size_t i) {
    return chance_to_beat(standings_[i].log_time, standings_[winner].log_time, 1 / (1 + rules_.regret));
  };
  Indices rivals;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i == winner || !standings_[i].runs()) continue;
    const bool is_near_finalist = standings_[i].look == Look::confirmed && is_near(i, winner);
    if (chance(i) >= rules_.drop || (is_second && is_near_finalist)) rivals.push_back(i);
  }
  if (rivals.empty()) return {};
  std::ranges::stable_sort(rivals, std::greater<>(), chance);
  rivals.resize(std::min(rivals.size(), rules_.rivals));
  rivals.push_back(winner);
  return rivals;
}

Batch RaceStrategy::prove_batch() {
  const auto winner = leader();
  if (!winner) {
    over_ = true;
    return {};
  }
  return hand_out({.stage = Stage::prove}, {*winner});
}

}  // namespace gemmtune
