#include "gemmtune/search/forecast.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "gemmtune/core/text.h"
#include "gemmtune/search/gaussian_process.h"

namespace gemmtune {
namespace {

constexpr std::size_t fewest = 3;

/// Numbers that differ are never as good as equal: many are but codes.
constexpr double least_difference = 0.3;

double difference_of_pieces(std::string_view a, std::string_view b) {
  if (a == b) return 0;
  const auto left = parse_double(a).value_or(0);
  const auto right = parse_double(b).value_or(0);
  if (left <= 0 || right <= 0) return 1;
  return std::clamp(std::abs(std::log2(left / right)) / 2, least_difference, 1.0);
}

/// Nothing to be alike by.
constexpr double no_relation = 100;

/// Some difference there is, or they had one name.
constexpr double nothing_seen = 1;

/// "128x256" is two numbers.
double difference(const std::string& a, const std::string& b) {
  if (a == b) return 0;
  const auto left = split(a, 'x');
  const auto right = split(b, 'x');
  if (left.size() != right.size()) return 1;
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += difference_of_pieces(left[i], right[i]);
  return sum;
}

const std::string* value_of(const Candidate& candidate, std::size_t hint, const std::string& key) {
  const auto& params = candidate.params;
  if (hint < params.size() && params[hint].key == key) return &params[hint].value;
  const auto at = std::ranges::find(params, key, &Param::key);
  return at == params.end() ? nullptr : &at->value;
}

std::vector<Forecast::Known> of_family(std::span<const Candidate> candidates, std::span<const Forecast::Known> known,
                                       const std::string& family) {
  std::vector<Forecast::Known> found;
  std::ranges::copy_if(known, std::back_inserter(found),
                       [&](const auto& one) { return candidates[one.candidate].family == family; });
  return found;
}

std::vector<double> values_of(std::span<const Forecast::Known> known) {
  std::vector<double> values;
  for (const auto& one : known) values.push_back(one.log_time);
  return values;
}

/// Nothing is known, so that everything may be: half or twice as fast.
constexpr double wide = 0.7;

LogTime usual(std::span<const Forecast::Known> known) {
  if (known.size() < 2) return {.mean = known.empty() ? 0.0 : known.front().log_time, .deviation = wide};
  const auto values = values_of(known);
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {.mean = mean, .deviation = std::max(std::sqrt(squares / (count - 1)), 0.1)};
}

}  // namespace

double distance(const Candidate& a, const Candidate& b) {
  if (a == b) return 0;
  if (a.params.empty() || b.params.empty()) return no_relation;
  double sum = 0;
  std::size_t shared = 0;
  for (std::size_t i = 0; i < a.params.size(); ++i) {
    const auto* other = value_of(b, i, a.params[i].key);
    shared += other != nullptr ? 1 : 0;
    sum += other == nullptr ? 1 : difference(a.params[i].value, *other);
  }
  sum += static_cast<double>(b.params.size() - std::min(shared, b.params.size()));
  return sum > 0 ? sum : nothing_seen;
}

Forecast::Forecast(std::span<const Candidate> candidates)
    : candidates_(candidates), distances_(candidates.size() * candidates.size()) {
  const auto n = candidates.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (candidates[i].family == candidates[j].family)
        distances_[i * n + j] = distances_[j * n + i] = distance(candidates[i], candidates[j]);
}

std::vector<double> Forecast::distances_from(std::size_t one, std::span<const Known> known) const {
  std::vector<double> distances;
  for (const auto& other : known) distances.push_back(between(one, other.candidate));
  return distances;
}

std::vector<LogTime> Forecast::expect(std::span<const std::size_t> unknown, std::span<const Known> known) const {
  std::map<std::string, std::vector<std::size_t>> places;  // of each family's in `unknown`
  for (std::size_t i = 0; i < unknown.size(); ++i) places[candidates_[unknown[i]].family].push_back(i);
  std::vector<LogTime> expected(unknown.size(), usual(known));
  for (const auto& [family, of_this] : places) {
    const auto relatives = of_family(candidates_, known, family);
    if (relatives.size() < fewest) continue;
    std::vector<double> distances;
    for (const auto& one : relatives) {
      const auto row = distances_from(one.candidate, relatives);
      distances.insert(distances.end(), row.begin(), row.end());
    }
    const GaussianProcess process(distances, values_of(relatives));
    for (const auto i : of_this) {
      const auto [mean, deviation] = process.at(distances_from(unknown[i], relatives));
      expected[i] = {.mean = mean, .deviation = deviation};
    }
  }
  return expected;
}

}  // namespace gemmtune
