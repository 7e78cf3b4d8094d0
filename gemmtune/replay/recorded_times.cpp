#include "gemmtune/replay/recorded_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gemmtune/measure/statistics.h"
#include "gemmtune/measure/turn_residuals.h"

namespace gemmtune {
namespace {

/// A turn that is farther from the median turn than this, as a logarithm, and than the others' scatter explains counts
/// as if it barely were. The two clocks of a GPU are less far apart, and a turn in which the machine stalled is
/// farther.
constexpr double reach_of_turns = 0.05;
constexpr double standard_deviations = 3;

TurnLogs without_stalls(TurnLogs turns) {
  const double middle = *median(turns);
  std::vector<double> distances;
  for (const double turn : turns) distances.push_back(std::abs(turn - middle));
  const double reach = std::max(reach_of_turns, standard_deviations * 1.4826 * *median(distances));
  for (auto& turn : turns) turn = std::clamp(turn, middle - reach, middle + reach);
  return turns;
}

std::optional<double> time_of(const RecordedCandidate& one) {
  if (one.outcome != Outcome::ok) return std::nullopt;
  if (one.confirm.turns.empty()) return median(one.confirm.us);
  const auto turns = without_stalls(turn_logs(one.confirm));
  return std::exp(std::accumulate(turns.begin(), turns.end(), 0.0) / static_cast<double>(turns.size()));
}

}  // namespace

std::optional<double> true_time_us(const RecordedShape& shape, std::string_view candidate) {
  for (const auto& one : shape.candidates)
    if (one.candidate.name == candidate) return time_of(one);
  return std::nullopt;
}

std::optional<double> best_time_us(const RecordedShape& shape) {
  std::optional<double> best;
  for (const auto& one : shape.candidates)
    if (const auto time = time_of(one)) best = std::min(best.value_or(*time), *time);
  return best;
}

}  // namespace gemmtune
