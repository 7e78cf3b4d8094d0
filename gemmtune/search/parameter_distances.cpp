#include "gemmtune/search/parameter_distances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

constexpr std::size_t most_with_table = 512;  // values of a parameter: 2 MB

double difference_of(double left, double right) {
  if (left <= 0 || right <= 0) return 1;
  return 1 - (1 - least_difference) * std::exp(-std::abs(std::log2(left / right)));
}

}  // namespace

/// A new value is appended.
std::uint32_t ParameterDistances::Feature::place_of(const std::string& value) {
  const auto [at, is_new] = places.emplace(value, static_cast<std::uint32_t>(numbers.size()));
  if (is_new) numbers.push_back(parse_double(value).value_or(0));
  return at->second;
}

double ParameterDistances::Feature::difference(std::size_t a, std::size_t b) const {
  if (a == b) return 0;
  return differences.empty() ? scale * difference_of(numbers[a], numbers[b]) : differences[a * numbers.size() + b];
}

void ParameterDistances::Feature::compute_differences() {
  const auto n = numbers.size();
  if (n > most_with_table) return;
  std::vector<double> table(n * n);
  for (std::size_t a = 1; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) table[a * n + b] = table[b * n + a] = difference(a, b);
  differences = std::move(table);
}

std::size_t ParameterDistances::feature(const std::string& name) {
  const auto [at, is_new] = places_.emplace(name, features_.size());
  if (is_new) features_.emplace_back();
  return at->second;
}

ParameterDistances::Values ParameterDistances::values_of(const Candidate& candidate) {
  Values values;
  const auto set = [&](const std::string& name, const std::string& value) {
    const auto place = feature(name);
    values[place] = features_[place].place_of(value);
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
    if (earlier > 0) values[twins] = features_[twins].place_of(fmt::format("twin {}", earlier));
    all.push_back(std::move(values));
  }
  for (const auto& [name, place] : places_) {
    features_[place].scale = name == nameless ? no_relation : 1;
    features_[place].compute_differences();
  }
  values_.resize(candidates.size() * features_.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& [place, value] : all[i]) values_[i * features_.size() + place] = value;
}

double ParameterDistances::between(std::size_t a, std::size_t b) const {
  const auto count = features_.size();
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += features_[i].difference(values_[a * count + i], values_[b * count + i]);
  return sum;
}

}  // namespace gemmtune
