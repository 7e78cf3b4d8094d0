// Forecasts the times of candidates from the times of others: kernels that differ in few parameters take about equally
// long. It is a Gaussian process over each family's parameters, which states its own deviation. Where the times already
// known lie further from what the others predict for them than it states, the deviation is widened by as much. It knows
// nothing of GEMM.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/search/parameter_distances.h"
#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// The logarithm of a time as a normal distribution; 0.01 is about 1 %.
struct LogTime {
  double mean{};
  double deviation{};
};

class Forecast {
 public:
  struct Known {
    std::size_t candidate{};  // its index
    double log_time{};
  };

  explicit Forecast(std::span<const Candidate> candidates);

  /// What is expected of each of these candidates, given what is known of others. Of a family of which less than three
  /// are known, what is usual among all. Of a family of which hundreds are known, some hundreds are learnt from.
  std::vector<LogTime> expect(std::span<const std::size_t> unknown, std::span<const Known> known) const;

 private:
  using Indices = std::vector<std::size_t>;

  std::vector<Known> of_family(const std::string& family, std::span<const Known> known) const;
  std::vector<double> distances_between(const Indices& from, const Indices& to) const;

  std::span<const Candidate> candidates_;
  ParameterDistances distances_;
};

}  // namespace gemmtune
