// Robust statistics of timing samples. Pure functions; "no answer" is an empty optional, not a magic number.
#pragma once

#include <optional>
#include <span>

namespace gemmtune {

std::optional<double> median(std::span<const double> samples);
std::optional<double> quantile(std::span<const double> samples, double share);  // linear between order statistics

/// 1.4826 · median(|x - median|) / median: a standard deviation that outliers do not move, as a share of the median.
std::optional<double> relative_dispersion(std::span<const double> samples);

struct Interval {
  double low{};
  double high{};

  bool overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};

/// Confidence interval of the median by order statistics: no assumption about the noise. The whole range for fewer than
/// six samples.
std::optional<Interval> median_interval(std::span<const double> samples, double confidence = 0.95);

}  // namespace gemmtune
