#include "gemmtune/measure/turn_residuals.h"

#include <algorithm>
#include <cmath>

#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

/// The limit, in three quarters of the distances of all turns.
constexpr double outlying = 2.25;

constexpr double usual_deviation = 0.005;
constexpr double usual_worth = 2;

/// When more than this share of a launch's turns stands out, they are not disturbed: the launch scatters itself.
constexpr double most_outlying = 0.25;

/// The weight of the turns of all launches, as a number of turns of one launch.
constexpr double all_worth = 4;

TurnLogs less(TurnLogs turns, double log_us) {
  for (auto& turn : turns) turn -= log_us;
  return turns;
}

/// Huber's estimate of where the turns lie: their median for a limit of 0, their mean for a large one.
double center(const TurnLogs& turns, double limit) {
  constexpr int steps = 30;
  double at = *median(turns);
  for (int i = 0; i < steps; ++i) {
    double sum = 0;
    for (const double turn : turns) sum += std::clamp(turn - at, -limit, limit);
    at += sum / static_cast<double>(turns.size());
  }
  return at;
}

/// The squares of a launch's distances from its time, for its own variance.
double squares(const TurnLogs& turns, double at, double limit) {
  const auto outside = std::ranges::count_if(turns, [&](double turn) { return std::abs(turn - at) > limit; });
  const bool scatters = static_cast<double>(outside) > most_outlying * static_cast<double>(turns.size());
  double sum = 0;
  for (const double turn : turns) {
    const double distance = std::abs(turn - at);
    sum += std::pow(scatters ? distance : std::min(distance, limit), 2);
  }
  return sum;
}

TurnLogs turns_in(const std::vector<TurnLogs>& all, std::size_t round) {
  TurnLogs turns;
  for (const auto& of_one : all)
    if (round < of_one.size()) turns.push_back(of_one[round]);
  return turns;
}

/// What is left of the number of turns, when each launch has a time, and the rounds that launches share differ too.
double degrees_of_freedom(const std::vector<TurnLogs>& all) {
  double free = 0;
  std::size_t longest = 0;
  for (const auto& of_one : all) {
    free += of_one.empty() ? 0 : static_cast<double>(of_one.size() - 1);
    longest = std::max(longest, of_one.size());
  }
  double shared = 0;
  for (std::size_t round = 0; round < longest; ++round) shared += turns_in(all, round).size() > 1 ? 1 : 0;
  return std::max(free - std::max(shared - 1, 0.0), 0.0);
}

}  // namespace

TurnLogs turn_logs(const Samples& samples) {
  TurnLogs logs;
  for (const auto turn : turns_of(samples)) logs.push_back(std::log(*median(turn)));
  return logs;
}

TurnResiduals::TurnResiduals(std::span<const TurnLogs> turns) {
  for (const auto& of_one : turns) rounds_.resize(std::max(rounds_.size(), of_one.size()));
  judge(residuals_of(turns, 0));
  judge(residuals_of(turns, limit_));
}

/// The turns of each launch less its own time and less what all launches have in common in a round. With a limit of 0
/// both are medians: some turns may be stalled altogether. Which ones are, the distances from medians show.
std::vector<TurnLogs> TurnResiduals::residuals_of(std::span<const TurnLogs> turns, double limit) {
  std::vector<TurnLogs> residuals(turns.begin(), turns.end());
  for (auto& of_one : residuals)
    if (!of_one.empty()) of_one = less(of_one, center(of_one, limit));
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    const auto in_common = turns_in(residuals, round);
    rounds_[round] = in_common.size() < 2 ? 0 : center(in_common, limit);  // a single one shares nothing with others
    for (auto& of_one : residuals)
      if (round < of_one.size()) of_one[round] -= rounds_[round];
  }
  return residuals;
}

TurnTime TurnResiduals::time_of(TurnLogs turns) const {
  for (std::size_t round = 0; round < turns.size(); ++round) turns[round] -= rounds_[round];
  const auto count = static_cast<double>(turns.size());
  const double at = center(turns, limit_);
  const double variance = (all_worth * variance_ + squares(turns, at, limit_)) / (all_worth + count - 1);
  return {.log_us = at, .deviation = std::sqrt(variance / count)};
}

/// The fewer turns each launch has, the nearer to them is its own time. Turns that stand out are cut off.
void TurnResiduals::judge(const std::vector<TurnLogs>& residuals) {
  std::vector<double> distances;
  for (const auto& of_one : residuals)
    for (const double residual : of_one) distances.push_back(std::abs(residual));
  const double free = degrees_of_freedom(residuals);
  const auto count = static_cast<double>(distances.size());
  limit_ = outlying * quantile(distances, 0.75).value_or(0) * std::sqrt(count / std::max(free, 1.0));
  double squares = usual_worth * usual_deviation * usual_deviation;
  for (const double distance : distances) squares += std::pow(std::min(distance, limit_), 2);
  variance_ = squares / (usual_worth + free);
}

}  // namespace gemmtune
