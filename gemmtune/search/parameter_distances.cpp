#include "gemmtune/search/parameter_distances.h"

#include <algorithm>
#include <cmath>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// Numbers that differ are never as good as equal: many are but codes.
constexpr double least_difference = 0.3;

/// Nothing to be alike by.
constexpr double no_relation = 100;

/// Some difference there is, or they had one name.
constexpr double nothing_seen = 1;

double difference_of_pieces(std::string_view a, std::string_view b) {
  if (a == b) return 0;
  const auto left = parse_double(a).value_or(0);
  const auto right = parse_double(b).value_or(0);
  if (left <= 0 || right <= 0) return 1;
  return std::clamp(std::abs(std::log2(left / right)) / 2, least_difference, 1.0);
}

/// "128x256" is two numbers.
double difference(const std::string& a, const std::string& b) {
  const auto left = split(a, 'x');
  const auto right = split(b, 'x');
  if (left.size() != right.size()) return 1;
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += difference_of_pieces(left[i], right[i]);
  return sum;
}

/// The place of a value, which is appended when it is new.
std::size_t place_among(std::vector<std::string>& values, const std::string& value) {
  const auto at = std::find(values.begin() + 1, values.end(), value);
  const auto place = static_cast<std::size_t>(at - values.begin());
  if (at == values.end()) values.push_back(value);
  return place;
}

std::vector<double> differences_of(const std::vector<std::string>& values) {
  const auto n = values.size();
  std::vector<double> differences(n * n);
  for (std::size_t a = 1; a < n; ++a) {
    differences[a] = differences[a * n] = 1;
    for (std::size_t b = 1; b < a; ++b)
      differences[a * n + b] = differences[b * n + a] = difference(values[a], values[b]);
  }
  return differences;
}

}  // namespace

std::size_t ParameterDistances::place_of(const std::string& key) {
  const auto at = std::ranges::find(parameters_, key, &Parameter::key);
  if (at != parameters_.end()) return static_cast<std::size_t>(at - parameters_.begin());
  parameters_.push_back({.key = key, .values = {""}});
  return parameters_.size() - 1;
}

ParameterDistances::ParameterDistances(std::span<const Candidate> candidates) {
  for (const auto& candidate : candidates)
    for (const auto& param : candidate.params) place_of(param.key);
  values_.resize(candidates.size() * parameters_.size());
  auto* values = values_.data();
  for (const auto& candidate : candidates) {
    for (const auto& param : candidate.params) {
      const auto place = place_of(param.key);
      values[place] = static_cast<std::uint16_t>(place_among(parameters_[place].values, param.value));
    }
    values += parameters_.size();
  }
  for (auto& parameter : parameters_) parameter.differences = differences_of(parameter.values);
}

double ParameterDistances::between(std::size_t a, std::size_t b) const {
  if (a == b) return 0;
  const auto count = parameters_.size();
  double sum = 0;
  bool has_a = false;
  bool has_b = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t left = values_[a * count + i];
    const std::size_t right = values_[b * count + i];
    has_a |= left != 0;
    has_b |= right != 0;
    sum += parameters_[i].differences[left * parameters_[i].values.size() + right];
  }
  if (!has_a || !has_b) return no_relation;
  return sum > 0 ? sum : nothing_seen;
}

}  // namespace gemmtune
