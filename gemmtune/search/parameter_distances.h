// How unlike the candidates of a space are: kernels that differ in few parameters take about as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gemmtune/space/candidate.h"

namespace gemmtune {

class ParameterDistances {
 public:
  explicit ParameterDistances(std::span<const Candidate> candidates);

  /// How many parameters differ, those that are numbers and near each other by less than one each. For candidates of
  /// one family, by their indices: those without parameters are like nothing but themselves.
  double between(std::size_t a, std::size_t b) const;

 private:
  /// The values that one parameter has, 0 for "has no such parameter".
  struct Parameter {
    std::string key{};
    std::vector<std::string> values{};
    std::vector<double> differences{};  // of each value from each
  };
  std::size_t place_of(const std::string& key);

  std::vector<Parameter> parameters_{};
  std::vector<std::uint16_t> values_{};  // of each candidate, one for each parameter
};

}  // namespace gemmtune
