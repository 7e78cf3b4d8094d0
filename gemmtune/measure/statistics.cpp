#include "gemmtune/measure/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gemmtune {
namespace {

/// The standard deviation of normal noise is its median absolute deviation times this.
constexpr double mad_to_deviation = 1.4826;

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  std::sort(values.begin(), values.end());
  return values;
}

/// Interpolates linearly between order statistics, which are counted from 0.
double at_rank(const std::vector<double>& values, double position) {
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

/// How many standard deviations of normal noise hold this share of it.
double deviations_holding(double share) {
  double low = 0;
  double high = 10;
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (std::erf(middle / std::sqrt(2.0)) < share ? low : high) = middle;
  }
  return high;
}

/// By how much the range of so few samples must be widened around their median to hold the true one in 95 of 100 cases:
/// under normal noise of unknown deviation, found by drawing millions of samples. For two it is the 97.5 % quantile of
/// Student's t with one degree of freedom. From six samples on, the range is wide enough as it is.
constexpr std::array few_samples_factors{1.0, 1.0, 12.71, 4.32, 1.66, 1.11};

double widening(std::size_t n, double confidence) {
  if (n >= few_samples_factors.size()) return 1;
  return few_samples_factors[n] * deviations_holding(confidence) / deviations_holding(0.95);
}

/// The ends of the interval of n independent samples, where `values` are sorted and may be more.
Interval order_statistics(const std::vector<double>& values, std::size_t n, double confidence) {
  const auto last = static_cast<double>(values.size() - 1);
  const double outside = n < 2 ? 0 : static_cast<double>(left_out(n, confidence)) * last / static_cast<double>(n - 1);
  const double middle = at_rank(values, last / 2);
  const auto widened = [&](double end) { return middle + (end - middle) * widening(n, confidence); };
  return {.low = widened(at_rank(values, outside)), .high = widened(at_rank(values, last - outside))};
}

/// What the samples of a single turn show is how they scatter within it. How far all of them together may be off is
/// added.
Interval of_one_turn(const std::vector<double>& values, double confidence) {
  const double middle = at_rank(values, static_cast<double>(values.size() - 1) / 2);
  const auto within = order_statistics(values, values.size(), confidence);
  const double off = deviations_holding(confidence) * deviation_of_one_turn * middle;
  return {.low = middle - std::hypot(middle - within.low, off), .high = middle + std::hypot(within.high - middle, off)};
}

}  // namespace

std::optional<double> median(std::span<const double> samples) { return quantile(samples, 0.5); }

std::optional<double> quantile(std::span<const double> samples, double share) {
  if (samples.empty()) return std::nullopt;
  return at_rank(sorted(samples), std::clamp(share, 0.0, 1.0) * static_cast<double>(samples.size() - 1));
}

std::optional<double> relative_dispersion(std::span<const double> samples) {
  const auto middle = median(samples);
  if (!middle || *middle <= 0) return std::nullopt;
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - *middle));
  return mad_to_deviation * *median(deviations) / *middle;
}

std::optional<Interval> median_interval(const Samples& samples, double confidence) {
  if (samples.us.empty()) return std::nullopt;
  const auto values = sorted(samples.us);
  if (samples.turns.size() < 2) return of_one_turn(values, confidence);
  return order_statistics(values, static_cast<std::size_t>(std::lround(independent_count(samples))), confidence);
}

}  // namespace gemmtune
