#include "gemmtune/search/standings.h"

#include <algorithm>
#include <cmath>

#include "gemmtune/measure/pooling.h"

namespace gemmtune {
namespace {

/// Screening times one candidate after the other while clocks change. On H100 and CPU, that moves kernels of about the
/// same time by 1 to 3 % against each other.
constexpr double deviation_of_screening = 0.025;

/// What is far behind is not told apart: forecasts are for those near the front.
constexpr double farthest = 4.0;

bool is_timed(const Evaluation& evaluation) {
  return evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0;
}

std::vector<TurnTime> times_by_screening(std::span<const Evaluation> evaluations) {
  std::vector<TurnTime> times;
  for (const auto& evaluation : evaluations)
    times.push_back({.log_us = is_timed(evaluation) ? std::log(evaluation.timing.median_us) : 0,
                     .deviation = std::hypot(log_deviation(evaluation.timing), deviation_of_screening)});
  return times;
}

}  // namespace

double chance_to_beat(const LogTime& a, const LogTime& b, double share) {
  const double lead = b.mean + std::log(share) - a.mean;
  return 0.5 * std::erfc(-lead / (std::hypot(a.deviation, b.deviation) * std::sqrt(2.0)));
}

Standings::Standings(std::span<const Candidate> candidates)
    : standings_(candidates.size()), sightings_(candidates.size()), forecast_(candidates) {}

void Standings::take(std::span<const std::size_t> candidates, std::span<const Evaluation> evaluations, Look look) {
  const auto times = look == Look::screened ? times_by_screening(evaluations) : times_by_turns(evaluations);
  const auto changes = changes_of(candidates, evaluations, times);
  const double scale = common_change(changes);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto& standing = standings_[candidates[i]];
    standing.look = look;
    standing.out = standing.out || !is_timed(evaluations[i]);
    if (standing.out) continue;
    const LogTime log_time{.mean = times[i].log_us - scale, .deviation = times[i].deviation};
    if (look == Look::screened)
      standing.log_time = log_time;
    else
      sightings_[candidates[i]].push_back({.log_time = log_time, .known_before = static_cast<double>(changes.size())});
  }
  if (look == Look::screened) return;
  ++interleaved_;
  settle();
}

/// What several interleaved evaluations say together, each the more the surer it is. The clock of each was learnt from
/// the candidates known before, which all have the same deviation, more or less.
LogTime Standings::together(const Sightings& sightings, double placement) {
  double weights = 0;
  double sum = 0;
  for (const auto& [log_time, known_before] : sightings) {
    const double own = log_time.deviation * log_time.deviation + placement * placement;
    const double weight = 1 / (own * (1 + 1 / std::max(known_before, 1.0)));
    weights += weight;
    sum += weight * log_time.mean;
  }
  return {.mean = sum / weights, .deviation = 1 / std::sqrt(weights)};
}

void Standings::settle() {
  std::vector<Change> changes;
  for (const auto& of_one : sightings_)
    for (std::size_t i = 1; i < of_one.size(); ++i) {
      const auto& before = of_one[i - 1].log_time;
      const auto& after = of_one[i].log_time;
      changes.push_back({.log_time = after.mean - before.mean,
                         .variance = after.deviation * after.deviation + before.deviation * before.deviation});
    }
  const double placement = deviation_of_placement(changes, interleaved_ - 1);
  for (std::size_t i = 0; i < standings_.size(); ++i)
    if (!sightings_[i].empty()) standings_[i].log_time = together(sightings_[i], placement);
}

// What they have in common is how much slower the clock has become since the candidates were looked at before.
std::vector<double> Standings::changes_of(std::span<const std::size_t> candidates,
                                          std::span<const Evaluation> evaluations,
                                          std::span<const TurnTime> times) const {
  std::vector<double> changes;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto& standing = standings_[candidates[i]];
    if (standing.runs() && is_timed(evaluations[i])) changes.push_back(times[i].log_us - standing.log_time.mean);
  }
  return changes;
}

std::optional<std::size_t> Standings::fastest() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < standings_.size(); ++i)
    if (standings_[i].runs() && (!best || standings_[i].log_time.mean < standings_[*best].log_time.mean)) best = i;
  return best;
}

std::vector<std::size_t> Standings::not_looked_at() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < standings_.size(); ++i)
    if (standings_[i].look == Look::none) found.push_back(i);
  return found;
}

void Standings::forecast() {
  const auto best = fastest();
  if (!best) return;
  const double cap = standings_[*best].log_time.mean + std::log(farthest);
  std::vector<Forecast::Known> known;
  for (std::size_t i = 0; i < standings_.size(); ++i)
    if (standings_[i].runs()) known.push_back({i, std::min(standings_[i].log_time.mean, cap)});
  const auto unknown = not_looked_at();
  const auto expected = forecast_.expect(unknown, known);
  for (std::size_t i = 0; i < unknown.size(); ++i) standings_[unknown[i]].log_time = expected[i];
}

double Standings::miss_probability(std::size_t winner, double regret) const {
  double sum = 0;
  for (std::size_t i = 0; i < standings_.size(); ++i)
    if (i != winner && !standings_[i].out)
      sum += chance_to_beat(standings_[i].log_time, standings_[winner].log_time, 1 / (1 + regret));
  return sum;
}

double Standings::regret_bound(std::size_t winner, double probability) const {
  const double allowed = 1 - probability;
  double high = 0;
  for (double step = 0.01; miss_probability(winner, high) > allowed && high < 1e3; step *= 2) high += step;
  double low = 0;
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (miss_probability(winner, middle) > allowed ? low : high) = middle;
  }
  return high;
}

}  // namespace gemmtune
