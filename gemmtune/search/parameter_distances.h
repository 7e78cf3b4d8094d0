// Distances between candidates: kernels that differ in few parameters take about equally long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
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
  /// Most have few values, whose differences are computed once. A worker may list candidates by the hundred thousand,
  /// each with a value of its own.
  struct Feature {
    std::unordered_map<std::string, std::uint32_t> places{{"", 0}};
    std::vector<double> numbers{0};  // of the values; 0 for what is no number above 0
    double scale{1};
    std::vector<double> differences{};  // of each value from each other, row by row; empty if there are many

    std::uint32_t place_of(const std::string& value);
    void compute_differences();
    double difference(std::size_t a, std::size_t b) const;
  };
  using Values = std::map<std::size_t, std::uint32_t>;  // those of one candidate, by feature

  std::size_t feature(const std::string& name);
  Values values_of(const Candidate& candidate);

  std::map<std::string, std::size_t> places_{};
  std::vector<Feature> features_{};
  std::vector<std::uint32_t> values_{};  // of each candidate, one for each feature
};

}  // namespace gemmtune
