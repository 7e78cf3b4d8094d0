#include "gemmtune/measure/turn_scatter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gemmtune/measure/sampler.h"
#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

/// To each side of the median, in an interval of 95 % under normal noise.
constexpr double deviations_in_interval = 1.96;

/// The standard deviation of normal noise is its median absolute deviation times this.
constexpr double mad_to_deviation = 1.4826;

/// How much turns are assumed to differ before any are seen, and the weight of that assumption as a number of turns.
constexpr double usual_deviation_of_turns = 0.005;
constexpr double usual_worth = 2;

/// The weight of the turns of all candidates, as a number of turns of one candidate.
constexpr double all_worth = 4;

/// For each turn, of which there is one at least, how far its median is from the mean of the candidate's turns, as a
/// difference of logarithms.
std::vector<double> turns_of(const Timing& timing) {
  const auto samples = samples_of(timing);
  std::vector<double> turns;
  auto next = samples.us.begin();
  for (const auto size : samples.turns) {
    const auto end = next + static_cast<std::ptrdiff_t>(size);
    turns.push_back(std::log(*median(std::span(next, end))));
    next = end;
  }
  const double mean = std::accumulate(turns.begin(), turns.end(), 0.0) / static_cast<double>(turns.size());
  for (auto& turn : turns) turn -= mean;
  return turns;
}

bool keeps_turns(const Timing& timing) {
  const auto count = std::accumulate(timing.turns.begin(), timing.turns.end(), std::int64_t{0});
  const bool all_have_samples = std::ranges::all_of(timing.turns, [](std::int64_t size) { return size > 0; });
  const bool all_are_times = std::ranges::all_of(timing.samples_us, [](double us) { return us > 0; });
  return timing.turns.size() > 1 && count == std::ssize(timing.samples_us) && all_have_samples && all_are_times;
}

/// Takes from each round of turns what all candidates have in common. Returns how many rounds there are.
std::size_t remove_rounds(std::vector<std::vector<double>>& turns) {
  std::size_t rounds = 0;
  for (const auto& of_one : turns) rounds = std::max(rounds, of_one.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    double sum = 0;
    double count = 0;
    for (const auto& of_one : turns)
      if (round < of_one.size()) {
        sum += of_one[round];
        ++count;
      }
    for (auto& of_one : turns)
      if (round < of_one.size()) of_one[round] -= sum / count;
  }
  return rounds;
}

/// As if the turns had nothing of their own: the least deviation that there can be. A candidate may scatter more than
/// the others do.
double deviation_within(const Timing& timing) {
  auto samples = samples_of(timing);
  samples.turns.assign(samples.us.size(), 1);
  return log_deviation(summarise(samples, false));
}

double squares(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// The variance of a turn, from what is left of all turns. Some turns may be stalled altogether, so that the median of
/// the distances counts and not the mean of their squares.
double variance_of(const std::vector<std::vector<double>>& turns, double free) {
  std::vector<double> distances;
  for (const auto& of_one : turns)
    for (const double turn : of_one) distances.push_back(std::abs(turn));
  const double deviation = mad_to_deviation * median(distances).value_or(0);
  const double usual = usual_worth * usual_deviation_of_turns * usual_deviation_of_turns;
  return (usual + deviation * deviation * static_cast<double>(distances.size())) / (usual_worth + std::max(free, 0.0));
}

}  // namespace

double log_deviation(const Timing& timing) {
  if (!(timing.median_us > 0 && timing.high_us > 0)) return 0;
  const double half =
      timing.low_us > 0 ? std::log(timing.high_us / timing.low_us) / 2 : std::log(timing.high_us / timing.median_us);
  return half / deviations_in_interval;
}

std::vector<double> log_deviations(std::span<const Evaluation> together) {
  std::vector<std::vector<double>> turns(together.size());
  double free = 0;
  for (std::size_t i = 0; i < together.size(); ++i)
    if (keeps_turns(together[i].timing)) {
      turns[i] = turns_of(together[i].timing);
      free += static_cast<double>(turns[i].size() - 1);
    }
  const auto rounds = remove_rounds(turns);
  if (rounds > 0) free -= static_cast<double>(rounds - 1);
  const double of_all = variance_of(turns, free);
  std::vector<double> deviations;
  for (std::size_t i = 0; i < together.size(); ++i) {
    const auto count = static_cast<double>(turns[i].size());
    const double variance = (all_worth * of_all + squares(turns[i])) / (all_worth + count - 1);
    deviations.push_back(turns[i].empty()
                             ? log_deviation(together[i].timing)
                             : std::max(std::sqrt(variance / count), deviation_within(together[i].timing)));
  }
  return deviations;
}

}  // namespace gemmtune
