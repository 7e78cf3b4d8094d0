// How the turns of launches differ that were sampled in turn with each other: beyond what all of them have in common in
// a round of turns, and judged by all of them together. Two turns of one launch may agree by chance.
#pragma once

#include <span>
#include <vector>

#include "gemmtune/measure/samples.h"

namespace gemmtune {

/// The logarithms of the medians of a launch's turns.
using TurnLogs = std::vector<double>;

/// Every turn must have samples, all above 0.
TurnLogs turn_logs(const Samples& samples);

/// The logarithm of a time in microseconds.
struct TurnTime {
  double log_us{};
  double deviation{};
};

class TurnResiduals {
 public:
  /// The turns of each launch; none for one that has no say.
  explicit TurnResiduals(std::span<const TurnLogs> turns);

  /// The time of one of these launches, from its turns, of which there must be one at least. It is the mean of the
  /// turns, in logarithms, where a turn that stands out counts as if it barely did. On a device that changes between
  /// two clocks, the median of all samples is the time at one of them, however many samples there are, and more turns
  /// would not make it surer.
  ///
  /// How turns scatter, the launch's own turns say, and those of all launches as much as four of them. A deviation of
  /// 0.5 % is assumed before any turns are seen, and counts as much as two.
  TurnTime time_of(TurnLogs turns) const;

 private:
  std::vector<TurnLogs> residuals_of(std::span<const TurnLogs> turns, double limit);
  void judge(const std::vector<TurnLogs>& residuals);

  std::vector<double> rounds_{};  // what all launches have in common in each
  double limit_{};     // a turn that is farther from the others stands out: 2.6 standard deviations of normal noise
  double variance_{};  // of the logarithm of a turn
};

}  // namespace gemmtune
