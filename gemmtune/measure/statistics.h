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

/// Confidence interval of the median by order statistics: no assumption about the noise, but that the samples are worth
/// as many independent ones as samples.h says. For 95 %, the range of less than six is too narrow: it is widened by how
/// much it would be too narrow for the median of normal noise whose deviation one knows.
std::optional<Interval> median_interval(const Samples& samples, double confidence = 0.95);

}  // namespace gemmtune
