#include "gemmtune/replay/drawn_samples.h"

#include <utility>

namespace gemmtune {

std::vector<double> DrawingTimer::time_us(const Launch& launch, std::int64_t first, std::int64_t count) {
  launch(first);
  // No standard distribution is used: they differ between libraries, and a replay must be the same everywhere.
  const auto turn = turns_[static_cast<std::size_t>(moment_ * static_cast<double>(turns_.size()))];
  std::vector<double> times;
  for (std::int64_t i = 0; i < count; ++i) {
    times.push_back(turn[engine_() % turn.size()]);
    spent_us_ += times.back();
  }
  return times;
}

double DrawingTimer::take_spent_s() { return std::exchange(spent_us_, 0.0) / 1e6; }

}  // namespace gemmtune
