#include "gemmtune/replay/record_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "gemmtune/measure/sampler.h"

namespace gemmtune {
namespace {

/// At most `most` of the values, spread evenly over their order.
template <typename Value>
std::vector<Value> spread_evenly(const std::vector<Value>& values, std::size_t most) {
  const auto n = values.size();
  if (n <= most) return values;
  std::vector<Value> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(values[(2 * i + 1) * n / (2 * most)]);
  return kept;
}

/// At least two samples of each turn are kept, so that a turn keeps its scatter: where that is too many, fewer turns.
Samples thinned(const Samples& samples) {
  const auto turns = spread_evenly(turns_of(samples), most_recorded_samples / 2);
  Samples kept;
  for (const auto turn : turns) {
    std::vector<double> times(turn.begin(), turn.end());
    if (samples.us.size() > most_recorded_samples) std::ranges::sort(times);
    const auto some = spread_evenly(times, most_recorded_samples / turns.size());
    kept.us.insert(kept.us.end(), some.begin(), some.end());
    if (turns.size() > 1) kept.turns.push_back(some.size());
  }
  return kept;
}

/// Not from the interval: that of few samples is wider than their range, and may reach below 0.
std::vector<double> rebuilt_samples(const Timing& timing) {
  switch (timing.sample_count) {
    case 0:
      return {};
    case 1:
      return {timing.median_us};
    case 2:
      return {timing.min_us, 2 * timing.median_us - timing.min_us};
    case 3:
      return {timing.min_us, timing.median_us, 3 * timing.mean_us - timing.min_us - timing.median_us};
    default:
      return {timing.min_us, timing.median_us, timing.median_us, 2 * timing.median_us - timing.min_us};
  }
}

Samples recorded_samples(const Timing& timing) {
  const auto samples = samples_of(timing);
  return samples.us.empty() ? Samples{.us = rebuilt_samples(timing)} : thinned(samples);
}

/// Those trials of one candidate that count.
struct Career {
  const Trial* screen{};
  const Trial* confirm{};
  const Trial* failure{};
};

void note(Career& career, const Trial& trial) {
  const auto& evaluation = trial.evaluation;
  if (evaluation.outcome != Outcome::ok) {
    if (career.failure == nullptr || evaluation.stage <= career.failure->evaluation.stage) career.failure = &trial;
    return;
  }
  if (evaluation.stage == Stage::prove) return;
  auto& place = evaluation.stage == Stage::screen ? career.screen : career.confirm;
  const bool more = place == nullptr || evaluation.timing.sample_count >= place->evaluation.timing.sample_count ||
                    trial.context.family_version != place->context.family_version;
  if (more) place = &trial;
}

/// The least of its evaluations, because the first may have compiled code that the whole family shares.
double overhead_s(const Career& career) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto* trial : {career.screen, career.confirm, career.failure})
    if (trial != nullptr) least = std::min(least, trial->evaluation.cost.prepare_s + trial->evaluation.cost.verify_s);
  return least;
}

RecordedCandidate recorded(const Candidate& candidate, const Career& career) {
  RecordedCandidate one{.candidate = candidate};
  const auto* seen = career.screen != nullptr ? career.screen : career.failure;
  one.overhead_us = 1e6 * overhead_s(career);
  one.memory_bytes = memory_bytes(seen->evaluation.timing);
  if (career.failure != nullptr) {
    one.outcome = career.failure->evaluation.outcome;
    one.failed_at = career.failure->evaluation.stage;
  }
  if (career.screen != nullptr) one.screen_us = recorded_samples(career.screen->evaluation.timing).us;
  if (career.confirm != nullptr) one.confirm = recorded_samples(career.confirm->evaluation.timing);
  return one;
}

/// What has been collected of a shape so far. Its candidates stand in the order of their first trials.
struct Collected {
  std::vector<Candidate> order{};
  std::map<Candidate, Career> careers{};
};

std::string device_text(const DeviceInfo& device) { return fmt::format("{} ({})", device.name, device.arch); }

}  // namespace

Recording recording_of(std::span<const Trial> trials) {
  Recording recording;
  std::map<std::pair<std::string, Problem>, std::size_t> places;
  std::vector<Collected> collected;
  for (const auto& trial : trials) {
    const auto& device = trial.context.device;
    const auto [at, is_new] = places.emplace(std::pair(device_text(device), trial.problem), recording.size());
    if (is_new) {
      recording.push_back({.kind = device.kind, .device = device_text(device), .problem = trial.problem});
      collected.emplace_back();
    }
    auto& of_shape = collected[at->second];
    const auto& candidate = trial.evaluation.candidate;
    const auto [career, is_first] = of_shape.careers.try_emplace(candidate);
    if (is_first) of_shape.order.push_back(candidate);
    note(career->second, trial);
  }
  for (std::size_t i = 0; i < recording.size(); ++i)
    for (const auto& candidate : collected[i].order) {
      const auto& career = collected[i].careers.at(candidate);
      if (career.screen != nullptr || career.failure != nullptr)
        recording[i].candidates.push_back(recorded(candidate, career));
    }
  return recording;
}

}  // namespace gemmtune
