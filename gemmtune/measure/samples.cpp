#include "gemmtune/measure/samples.h"

#include <algorithm>

#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

/// What a median is estimated from: on which side of it a sample lies.
double side(double us, double middle) { return us < middle ? -1 : us > middle ? 1 : 0; }

}  // namespace

std::vector<std::span<const double>> turns_of(const Samples& samples) {
  std::span<const double> left(samples.us);
  if (samples.turns.empty()) return {left};
  std::vector<std::span<const double>> turns;
  for (const auto size : samples.turns) {
    turns.push_back(left.first(size));
    left = left.subspan(size);
  }
  return turns;
}

// Of independent samples the squared sum of a turn's sides is as large as the sum of their squares. How much larger it
// is on average, says for how many of the samples one of them counts. The sides add up to about nothing, whatever the
// turns have in common, which takes one of the turns away.
double independent_count(const Samples& samples) {
  const auto count = static_cast<double>(samples.us.size());
  const auto turns = static_cast<double>(samples.turns.size());
  if (turns < 2) return std::min(count, 1.0);
  const double middle = *median(samples.us);
  double of_turns = 0;
  double of_samples = 0;
  for (const auto turn : turns_of(samples)) {
    double of_turn = 0;
    for (const double us : turn) {
      const double where = side(us, middle);
      of_turn += where;
      of_samples += where * where;
    }
    of_turns += of_turn * of_turn;
  }
  if (of_samples == 0) return count;
  const double alike = of_turns / of_samples * turns / (turns - 1);
  return std::clamp(count / alike, turns, count);
}

}  // namespace gemmtune
