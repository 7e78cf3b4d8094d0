#include "gemmtune/search/forecast.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "gemmtune/search/gaussian_process.h"

namespace gemmtune {
namespace {

constexpr std::size_t fewest = 3;

constexpr std::size_t most = 256;

/// The cost of a fit grows with the cube of the number of candidates. Of many, half are the fastest, near which there
/// may be faster ones, and the other half are spread evenly over the times of the rest.
std::vector<Forecast::Known> worth_learning_from(std::vector<Forecast::Known> known) {
  if (known.size() <= most) return known;
  std::ranges::stable_sort(known, {}, &Forecast::Known::log_time);
  constexpr auto half = most / 2;
  const auto others = known.size() - half;
  for (std::size_t i = 0; i < half; ++i) known[half + i] = known[half + i * others / half];
  known.resize(most);
  return known;
}

/// Distances are held for so many candidates at a time: a worker may list hundreds of thousands.
constexpr std::size_t asked_at_once = 1024;

/// The deviation where nothing is known: half or twice as fast is likely.
constexpr double wide = 0.7;

LogTime mean_log_time(std::span<const Forecast::Known> known) {
  if (known.size() < 2) return {.mean = known.empty() ? 0.0 : known.front().log_time, .deviation = wide};
  const auto count = static_cast<double>(known.size());
  double mean = 0;
  for (const auto& one : known) mean += one.log_time / count;
  double squares = 0;
  for (const auto& one : known) squares += (one.log_time - mean) * (one.log_time - mean);
  return {.mean = mean, .deviation = std::max(std::sqrt(squares / (count - 1)), 0.1)};
}

}  // namespace

Forecast::Forecast(std::span<const Candidate> candidates) : candidates_(candidates), distances_(candidates) {}

// One row for each of `from`: its distances from all of `to`.
std::vector<double> Forecast::distances_between(const Indices& from, const Indices& to) const {
  std::vector<double> distances;
  distances.reserve(from.size() * to.size());
  for (const auto one : from)
    for (const auto other : to) distances.push_back(distances_.between(one, other));
  return distances;
}

std::vector<Forecast::Known> Forecast::of_family(const std::string& family, std::span<const Known> known) const {
  std::vector<Known> relatives;
  std::ranges::copy_if(known, std::back_inserter(relatives),
                       [&](const Known& one) { return candidates_[one.candidate].family == family; });
  return relatives;
}

std::vector<LogTime> Forecast::expect(std::span<const std::size_t> unknown, std::span<const Known> known) const {
  std::map<std::string, Indices> places;  // of each family's in `unknown`
  for (std::size_t i = 0; i < unknown.size(); ++i) places[candidates_[unknown[i]].family].push_back(i);
  std::vector<LogTime> expected(unknown.size(), mean_log_time(known));
  for (const auto& [family, of_this] : places) {
    auto relatives = of_family(family, known);
    if (relatives.size() < fewest) continue;
    Indices seen;
    std::vector<double> log_times;
    for (const auto& [candidate, log_time] : worth_learning_from(std::move(relatives))) {
      seen.push_back(candidate);
      log_times.push_back(log_time);
    }
    Indices asked;
    for (const auto i : of_this) asked.push_back(unknown[i]);
    const GaussianProcess process(distances_between(seen, seen), log_times);
    const double wider = std::max(1.0, process.leave_one_out_deviation());
    for (std::size_t first = 0; first < asked.size(); first += asked_at_once) {
      const auto last = std::min(first + asked_at_once, asked.size());
      const auto predictions =
          process.at(distances_between(seen, Indices(asked.begin() + static_cast<std::ptrdiff_t>(first),
                                                     asked.begin() + static_cast<std::ptrdiff_t>(last))));
      for (std::size_t i = first; i < last; ++i)
        expected[of_this[i]] = {.mean = predictions[i - first].mean,
                                .deviation = wider * predictions[i - first].deviation};
    }
  }
  return expected;
}

}  // namespace gemmtune
