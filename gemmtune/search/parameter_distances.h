// How unlike the candidates of a space are: kernels that differ in few parameters take about as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

/// Sums over parameters, each a distance for which exp(-distance) is positive definite: Gaussian processes need that.
class ParameterDistances {
 public:
  explicit ParameterDistances(std::span<const Candidate> candidates);

  /// How many parameters differ, those that are numbers and near each other by less than one each; "128x256" is two.
  /// For candidates of one family, by their indices: those without parameters are like nothing but themselves.
  double between(std::size_t a, std::size_t b) const;

 private:
  /// One number or word of what candidates have as a parameter. Value 0 is "has none".
  struct Feature {
    std::vector<std::string> values{""};
    std::vector<double> differences{};  // of each value from each
  };
  using Values = std::map<std::size_t, std::uint16_t>;  // of one candidate, by feature

  std::size_t feature(const std::string& name);
  Values values_of(const Candidate& candidate);

  std::map<std::string, std::size_t> places_{};
  std::vector<Feature> features_{};
  std::vector<std::uint16_t> values_{};  // of each candidate, one for each feature
};

}  // namespace gemmtune
