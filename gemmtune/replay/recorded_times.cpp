#include "gemmtune/replay/recorded_times.h"

#include <algorithm>

#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

std::optional<double> time_of(const RecordedCandidate& one) {
  return one.outcome == Outcome::ok ? median(one.confirm_us) : std::nullopt;
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
