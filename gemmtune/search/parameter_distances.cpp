#include "gemmtune/search/parameter_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

/// Different numbers never count as equal: many of them are only codes.
constexpr double least_difference = 0.3;

/// Candidates without parameters cannot be compared.
constexpr double no_relation = 100;
const std::string nameless = " alone";

/// Candidates with equal parameters and different names differ in something that the parameters do not say.
const std::string twin = " twin";

double difference(const std::string& a, const std::string& b) {
  const auto left = parse_double(a).value_or(0);
  const auto right = parse_double(b).value_or(0);
  if (left <= 0 || right <= 0) return 1;
  return 1 - (1 - least_difference) * std::exp(-std::abs(std::log2(left / right)));
}

std::vector<double> differences_of(const std::vector<std::string>& values, double scale) {
  const auto n = values.size();
  std::vector<double> differences(n * n);
  for (std::size_t a = 1; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      differences[a * n + b] = differences[b * n + a] = scale * difference(values[a], values[b]);
  return differences;
}

/// The place of a value in the list; a new value is appended.
std::uint16_t place_among(std::vector<std::string>& values, const std::string& value) {
  const auto at = std::find(values.begin() + 1, values.end(), value);
  const auto place = static_cast<std::uint16_t>(at - values.begin());
  if (at == values.end()) values.push_back(value);
  return place;
}

}  // namespace

std::size_t ParameterDistances::feature(const std::string& name) {
  const auto [at, is_new] = places_.emplace(name, features_.size());
  if (is_new) features_.emplace_back();
  return at->second;
}

ParameterDistances::Values ParameterDistances::values_of(const Candidate& candidate) {
  Values values;
  const auto set = [&](const std::string& name, const std::string& value) {
    const auto place = feature(name);
    values[place] = place_among(features_[place].values, value);
  };
  if (candidate.params.empty()) set(nameless, candidate.name);
  for (const auto& [key, value] : candidate.params) {
    std::size_t place = 0;
    for (const auto& piece : split(value, 'x')) set(fmt::format("{}/{}", key, place++), std::string(piece));
  }
  return values;
}

ParameterDistances::ParameterDistances(std::span<const Candidate> candidates) {
  std::vector<Values> all;
  std::map<Values, int> alike;
  const auto twins = feature(twin);
  for (const auto& candidate : candidates) {
    auto values = values_of(candidate);
    const auto earlier = alike[values]++;
    if (earlier > 0) values[twins] = place_among(features_[twins].values, fmt::format("twin {}", earlier));
    all.push_back(std::move(values));
  }
  for (const auto& [name, place] : places_)
    features_[place].differences = differences_of(features_[place].values, name == nameless ? no_relation : 1);
  values_.resize(candidates.size() * features_.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& [place, value] : all[i]) values_[i * features_.size() + place] = value;
}

double ParameterDistances::between(std::size_t a, std::size_t b) const {
  const auto count = features_.size();
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t left = values_[a * count + i];
    const std::size_t right = values_[b * count + i];
    if (left != right) sum += features_[i].differences[left * features_[i].values.size() + right];
  }
  return sum;
}

}  // namespace gemmtune
