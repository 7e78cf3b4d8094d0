#include "gemmtune/replay/recorded_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gemmtune/measure/statistics.h"
#include "gemmtune/measure/turn_residuals.h"

namespace gemmtune {
namespace {

std::optional<double> time_of(const RecordedCandidate& one) {
  if (one.outcome != Outcome::ok) return std::nullopt;
  if (one.confirm.turns.empty()) return median(one.confirm.us);
  const auto turns = turn_logs(one.confirm);
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
