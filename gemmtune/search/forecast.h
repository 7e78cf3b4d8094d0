// What the times of some candidates tell of the others: kernels that differ in few parameters take about as long.
// A Gaussian process over each family's parameters, which says how sure it is. It knows nothing of GEMM.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The logarithm of a time, as a normal distribution.
struct LogTime {
  double mean{};
  double deviation{};
};

/// How many parameters differ, those that are numbers and near each other by less than one each. For candidates of one
/// family: those without parameters are like nothing but themselves.
double distance(const Candidate& a, const Candidate& b);

class Forecast {
 public:
  struct Known {
    std::size_t candidate{};  // its index
    double log_time{};
  };

  explicit Forecast(std::span<const Candidate> candidates);

  /// What is expected of each of these candidates, given what is known of others. Of a family of which less than three
  /// are known, what is usual among all.
  std::vector<LogTime> expect(std::span<const std::size_t> unknown, std::span<const Known> known) const;

 private:
  double between(std::size_t a, std::size_t b) const { return distances_[a * candidates_.size() + b]; }
  std::vector<double> distances_from(std::size_t one, std::span<const Known> known) const;

  std::span<const Candidate> candidates_;
  std::vector<double> distances_{};  // of all pairs of one family
};

}  // namespace gemmtune
