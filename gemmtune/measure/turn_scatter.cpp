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

bool keeps_turns(const Timing& timing) {
  const auto count = std::accumulate(timing.turns.begin(), timing.turns.end(), std::int64_t{0});
  const bool all_have_samples = std::ranges::all_of(timing.turns, [](std::int64_t size) { return size > 0; });
  const bool all_are_times = std::ranges::all_of(timing.samples_us, [](double us) { return us > 0; });
  return timing.turns.size() > 1 && count == std::ssize(timing.samples_us) && all_have_samples && all_are_times;
}

/// As if the turns had nothing of their own: the least deviation that there can be. A candidate may scatter more than
/// the others do.
double deviation_within(const Timing& timing, const TurnLogs& turns) {
  auto samples = samples_of(timing);
  auto next = samples.us.begin();
  for (std::size_t turn = 0; turn < turns.size(); ++turn)
    for (const auto end = next + timing.turns[turn]; next != end; ++next) *next *= std::exp(turns[0] - turns[turn]);
  samples.turns.assign(samples.us.size(), 1);
  return log_deviation(summarise(samples, false));
}

TurnTime of_interval(const Timing& timing) {
  if (!(timing.median_us > 0)) return {};
  return {.log_us = std::log(timing.median_us), .deviation = log_deviation(timing)};
}

}  // namespace

double log_deviation(const Timing& timing) {
  if (!(timing.median_us > 0 && timing.high_us > 0)) return 0;
  const double half =
      timing.low_us > 0 ? std::log(timing.high_us / timing.low_us) / 2 : std::log(timing.high_us / timing.median_us);
  return half / deviations_in_interval;
}

std::vector<TurnTime> times_by_turns(std::span<const Evaluation> together) {
  std::vector<TurnLogs> turns(together.size());
  for (std::size_t i = 0; i < together.size(); ++i)
    if (keeps_turns(together[i].timing)) turns[i] = turn_logs(samples_of(together[i].timing));
  const TurnResiduals all(turns);
  std::vector<TurnTime> times;
  for (std::size_t i = 0; i < together.size(); ++i) {
    times.push_back(turns[i].empty() ? of_interval(together[i].timing) : all.time_of(turns[i]));
    if (!turns[i].empty())
      times.back().deviation = std::max(times.back().deviation, deviation_within(together[i].timing, turns[i]));
  }
  return times;
}

}  // namespace gemmtune
