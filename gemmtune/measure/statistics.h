// Robust statistics of timing samples. All are pure functions; an empty optional means that there is no answer.
#pragma once

#include <optional>
#include <span>

#include "gemmtune/measure/samples.h"

namespace gemmtune {

std::optional<double> median(std::span<const double> samples);
std::optional<double> quantile(std::span<const double> samples, double share);  // linear between order statistics

/// 1.4826 · median(|x - median|) / median: an estimate of the standard deviation that outliers do not move, as a share
/// of the median. Nothing for no samples and for a median that is not positive.
std::optional<double> relative_dispersion(std::span<const double> samples);

struct Interval {
  double low{};
  double high{};

  bool overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};

/// The standard deviation that the time of a single turn is taken to have, as a share: that of one kernel in different
/// turns was 1 to 3 % on H100s and on CPUs that others used. A single turn cannot show it.
inline constexpr double deviation_of_one_turn = 0.025;

/// Confidence interval of the median by order statistics: no assumption about the noise, but that the samples are worth
/// as many independent ones as samples.h says. For 95 %, the range of less than six is too narrow: it is widened so far
/// that it holds for normal noise of unknown deviation. The samples of one turn count as a single independent one:
/// their interval is at least as wide as deviation_of_one_turn says, about 5 % to each side for 95 %.
std::optional<Interval> median_interval(const Samples& samples, double confidence = 0.95);

}  // namespace gemmtune
