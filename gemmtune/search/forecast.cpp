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

Forecast::Forecast(std::span<const Candidate> candidates) : candidates_(candidates), distances_(candidates) {}

// A row for each of `from`, of the distances of all of `to` from it.
std::vector<double> Forecast::distances_between(std::span<const std::size_t> from,
                                                std::span<const std::size_t> to) const {
  std::vector<double> distances;
  distances.reserve(from.size() * to.size());
  for (const auto& one : from)
    for (const auto other : to) distances.push_back(distances_.between(one, other));
  return distances;
}

std::vector<LogTime> Forecast::expect(std::span<const std::size_t> unknown, std::span<const Known> known) const {
  std::map<std::string, std::vector<std::size_t>> places;  // of each family's in `unknown`
  for (std::size_t i = 0; i < unknown.size(); ++i) places[candidates_[unknown[i]].family].push_back(i);
  std::vector<LogTime> expected(unknown.size(), usual(known));
  for (const auto& [family, of_this] : places) {
    const auto relatives = of_family(candidates_, known, family);
    if (relatives.size() < fewest) continue;
    std::vector<std::size_t> seen;
    for (const auto& one : relatives) seen.push_back(one.candidate);
    std::vector<std::size_t> asked;
    for (const auto i : of_this) asked.push_back(unknown[i]);
    const GaussianProcess process(distances_between(seen, seen), values_of(relatives));
    const auto predictions = process.at(distances_between(seen, asked));
    for (std::size_t i = 0; i < of_this.size(); ++i)
      expected[of_this[i]] = {.mean = predictions[i].mean, .deviation = predictions[i].deviation};
  }
  return expected;
}

}  // namespace gemmtune
