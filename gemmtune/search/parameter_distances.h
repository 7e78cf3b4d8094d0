// Distances between candidates: kernels that differ in few parameters take about equally long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// A distance is a sum over parameters. For each of its terms exp(-term) is positive definite, as Gaussian processes
/// need it.
class ParameterDistances {
 public:
  explicit ParameterDistances(std::span<const Candidate> candidates);

  /// The distance of two candidates of one family, given by their indices: the number of parameters that differ, where
  /// numbers near each other count for less than one. "128x256" counts as two parameters. Candidates without parameters
  /// are far from all others.
  double between(std::size_t a, std::size_t b) const;

 private:
  /// The values that one parameter, or one number of it, has among the candidates. Value 0 means that there is none.
  struct Feature {
    std::vector<std::string> values{""};
    std::vector<double> differences{};  // of each value from each other, row by row
  };
  using Values = std::map<std::size_t, std::uint16_t>;  // those of one candidate, by feature

  std::size_t feature(const std::string& name);
  Values values_of(const Candidate& candidate);

  std::map<std::string, std::size_t> places_{};
  std::vector<Feature> features_{};
  std::vector<std::uint16_t> values_{};  // of each candidate, one for each feature
};

}  // namespace gemmtune
