#include "gemmtune/search/standings.h"

#include <algorithm>
#include <cmath>

#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

/// Screening times one candidate after the other while clocks change. On H100 and CPU, that moves kernels of about the
/// same time by 1 to 3 % against each other.
constexpr double deviation_of_screening = 0.025;

/// Interleaved, and still: power goes to whoever runs, and it is not the same for all.
constexpr double deviation_of_interleaving = 0.002;

/// To each side of the median, in an interval of 95 % under normal noise.
constexpr double deviations_in_interval = 1.96;

/// What is far behind is not told apart: forecasts are for those near the front.
constexpr double farthest = 4.0;

bool is_timed(const Evaluation& evaluation) {
  return evaluation.outcome == Outcome::ok && evaluation.timing.median_us > 0;
}

double deviation_of(const Evaluation& evaluation, Look look) {
  const auto& timing = evaluation.timing;
  const double half = timing.low_us > 0 ? std::log(timing.high_us / timing.low_us) / 2 : 0.0;
  return std::hypot(half / deviations_in_interval,
                    look == Look::screened ? deviation_of_screening : deviation_of_interleaving);
}

}  // namespace

double chance_to_beat(const LogTime& a, const LogTime& b, double share) {
  const double lead = b.mean + std::log(share) - a.mean;
  return 0.5 * std::erfc(-lead / (std::hypot(a.deviation, b.deviation) * std::sqrt(2.0)));
}

Standings::Standings(std::span<const Candidate> candidates) : standings_(candidates.size()), forecast_(candidates) {}

void Standings::take(std::span<const std::size_t> candidates, std::span<const Evaluation> evaluations, Look look) {
  const double scale = scale_of(candidates, evaluations);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto& standing = standings_[candidates[i]];
    standing.look = look;
    standing.out = standing.out || !is_timed(evaluations[i]);
    if (standing.out) continue;
    standing.log_time = {.mean = std::log(evaluations[i].timing.median_us) - scale,
                         .deviation = deviation_of(evaluations[i], look)};
  }
}

// How much slower all have become since they were looked at before.
double Standings::scale_of(std::span<const std::size_t> candidates, std::span<const Evaluation> evaluations) const {
  std::vector<double> changes;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto& standing = standings_[candidates[i]];
    if (standing.runs() && is_timed(evaluations[i]))
      changes.push_back(std::log(evaluations[i].timing.median_us) - standing.log_time.mean);
  }
  return median(changes).value_or(0);
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
