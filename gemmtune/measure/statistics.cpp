#include "gemmtune/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gemmtune {
namespace {

/// For normal noise, the median absolute deviation times this is the standard deviation.
constexpr double mad_to_deviation = 1.4826;

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  std::sort(values.begin(), values.end());
  return values;
}

double quantile_of_sorted(const std::vector<double>& values, double share) {
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

/// P(exactly i of n samples lie below the median).
double binomial_half(std::size_t n, std::size_t i) {
  const auto count = static_cast<double>(n);
  const auto below = static_cast<double>(i);
  const double log_choose = std::lgamma(count + 1) - std::lgamma(below + 1) - std::lgamma(count - below + 1);
  return std::exp(log_choose - count * std::log(2.0));
}

/// How many samples r at each end an interval may leave out: [x_(r+1), x_(n-r)] misses the median with probability
/// 2·P(B(n, 1/2) ≤ r).
std::size_t left_out(std::size_t n, double confidence) {
  double misses = 2 * binomial_half(n, 0);
  std::size_t r = 0;
  while (2 * (r + 1) < n) {
    misses += 2 * binomial_half(n, r + 1);
    if (misses > 1 - confidence) break;
    ++r;
  }
  return r;
}

}  // namespace

std::optional<double> median(std::span<const double> samples) { return quantile(samples, 0.5); }

std::optional<double> quantile(std::span<const double> samples, double share) {
  if (samples.empty()) return std::nullopt;
  return quantile_of_sorted(sorted(samples), share);
}

std::optional<double> relative_dispersion(std::span<const double> samples) {
  const auto middle = median(samples);
  if (!middle || *middle <= 0) return std::nullopt;
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - *middle));
  return mad_to_deviation * *median(deviations) / *middle;
}

std::optional<Interval> median_interval(std::span<const double> samples, double confidence) {
  if (samples.empty()) return std::nullopt;
  const auto values = sorted(samples);
  const auto first = left_out(values.size(), confidence);
  return Interval{.low = values[first], .high = values[values.size() - 1 - first]};
}

}  // namespace gemmtune
