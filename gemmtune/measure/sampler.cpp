#include "gemmtune/measure/sampler.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "gemmtune/core/clock.h"
#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

/// A block holds at most this many samples and lasts at most about this long. The rule is then asked often enough to
/// keep to its budget, and rarely enough that its arithmetic costs little beside short kernels.
constexpr std::int64_t largest_block = 8;
constexpr double longest_block_us = 20'000;

/// An interleaved block is never shorter than this, or its uncounted launch would cost as much as its samples.
constexpr std::int64_t smallest_turn = 4;

/// A block of launches that are short is never shorter than this: a GPU's timer replays several of them from a graph,
/// and a launch that it is asked for singly looks longer than it is.
constexpr std::int64_t fewest_short = 2;

/// A GPU at its power limit is faster after a rest, and slower after a kernel that draws more power. So each block of a
/// long launch begins with about so much load of its own. Shorter launches do not reach the limit.
constexpr double load_us = 10'000;
constexpr double shortest_with_load_us = 50;

/// A GPU's timer makes one sample of several short launches, about so long.
constexpr double least_sample_us = 400;

/// One launch and the samples taken of it.
class Series {
 public:
  Series(Timer& timer, const Timer::Launch& launch) : timer_(&timer), launch_(&launch) {}

  void warm_up(std::int64_t launches) {
    if (launches <= 0) return;
    last_us_ = timer_->warm_up(*launch_, next_, launches);
    next_ += launches;
  }

  /// Takes samples and records them as a turn.
  void take_turn(std::int64_t launches) {
    const auto times = run(launches);
    if (times.empty()) return;
    samples_.us.insert(samples_.us.end(), times.begin(), times.end());
    samples_.turns.push_back(times.size());
    last_us_ = times.back();
  }

  /// Roughly how long a launch takes; 0 before the first one.
  double launch_us() const { return samples_.us.empty() ? last_us_ : *median(samples_.us); }

  std::int64_t count() const { return static_cast<std::int64_t>(samples_.us.size()); }
  const Samples& samples() const { return samples_; }

 private:
  std::vector<double> run(std::int64_t launches) {
    auto times = timer_->time_us(*launch_, next_, launches);
    next_ += launches;
    return times;
  }

  Timer* timer_;
  const Timer::Launch* launch_;
  std::int64_t next_{};
  Samples samples_{};
  double last_us_{};
};

/// As a share of the fastest median.
constexpr double contends = 1.02;

bool done(const Series& series, const MeasurePolicy& policy, const StopRule& rule) {
  return series.count() >= policy.max_samples || rule.enough(series.samples());
}

/// Which series need more samples: those that are not done, and while any of the fastest is not done, all of those.
std::vector<std::size_t> still_wanted(const std::vector<Series>& all, const MeasurePolicy& policy,
                                      const StopRule& rule) {
  double fastest_us = std::numeric_limits<double>::infinity();
  for (const auto& series : all) fastest_us = std::min(fastest_us, median(series.samples().us).value_or(0));
  const auto contender = [&](const Series& series) {
    return median(series.samples().us).value_or(0) <= contends * fastest_us;
  };
  const bool undecided = std::any_of(
      all.begin(), all.end(), [&](const Series& series) { return contender(series) && !done(series, policy, rule); });
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool on = !done(all[i], policy, rule) || (undecided && contender(all[i]));
    if (on && all[i].count() < policy.max_samples) wanted.push_back(i);
  }
  return wanted;
}

/// The first two blocks take min_samples, because an interval needs two turns; unless launches are so long that the
/// rule should see each of them: it may give up on a slow launch early.
std::int64_t next_block(const Series& series, const MeasurePolicy& policy, std::int64_t smallest) {
  const double longest = longest_block_us / std::max(series.launch_us(), 1.0);
  const auto fitting = static_cast<std::int64_t>(std::min<double>(largest_block, longest));
  const bool is_short = static_cast<double>(policy.min_samples) <= longest;
  const auto missing = policy.min_samples - series.count();
  const auto left = policy.max_samples - series.count();
  auto wanted = fitting;
  if (is_short && series.count() == 0)
    wanted = (policy.min_samples + 1) / 2;
  else if (is_short && (missing > 0 || series.samples().turns.size() == 1))
    wanted = missing;
  if (is_short) smallest = std::max(smallest, fewest_short);
  wanted = std::min(std::max({wanted, smallest, std::int64_t{1}}), left);
  return is_short && left - wanted < fewest_short ? left : wanted;
}

/// How many samples of load a block begins with.
std::int64_t samples_of_load(const Series& series, Clock clock) {
  const double us = series.launch_us();
  if (clock == Clock::nothing || us < shortest_with_load_us) return 0;
  return static_cast<std::int64_t>(load_us / std::max(us, least_sample_us));
}

/// What is not counted of a block.
void begin_block(Series& series, const MeasurePolicy& policy, Clock clock) {
  if (policy.warmup == 0) return;
  if (series.count() == 0) {
    series.warm_up(policy.warmup);
    series.warm_up(samples_of_load(series, clock));
  } else {
    series.warm_up(std::max<std::int64_t>(1, samples_of_load(series, clock)));
  }
}

}  // namespace

Samples sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy) {
  return sample(timer, launch, policy, *make_stop_rule(policy));
}

Samples sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy, const StopRule& rule) {
  Series series(timer, launch);
  series.warm_up(policy.warmup);
  while (!done(series, policy, rule)) series.take_turn(next_block(series, policy, 1));
  return series.samples();
}

std::vector<Samples> sample_interleaved(Timer& timer, std::span<const Timer::Launch> launches,
                                        const MeasurePolicy& policy, Clock clock,
                                        const std::function<void(std::size_t)>& before_block) {
  const auto rule = make_stop_rule(policy);
  std::vector<Series> all;
  for (const auto& launch : launches) all.emplace_back(timer, launch);
  const auto take_turn = [&](std::size_t i) {
    if (before_block) before_block(i);
    begin_block(all[i], policy, clock);
    all[i].take_turn(next_block(all[i], policy, smallest_turn));
  };
  auto round = still_wanted(all, policy, *rule);
  for (bool forth = true; !round.empty(); forth = !forth) {
    if (!forth) std::reverse(round.begin(), round.end());
    for (const auto i : round) take_turn(i);
    round = still_wanted(all, policy, *rule);
  }
  std::vector<Samples> samples;
  samples.reserve(all.size());
  for (const auto& series : all) samples.push_back(series.samples());
  return samples;
}

void run_in_turns(Timer& timer, std::span<const Timer::Launch> launches, double for_us,
                  const std::function<void(std::size_t)>& before_block) {
  const auto start = SteadyClock::now();
  for (std::size_t i = 0; seconds_since(start) * 1e6 < for_us; i = (i + 1) % launches.size()) {
    if (before_block) before_block(i);
    timer.time_us(launches[i], 0, largest_block);
  }
}

Timing summarise(const Samples& samples, bool keep_samples) {
  const auto& us = samples.us;
  if (us.empty()) return {};
  const auto interval = *median_interval(samples);
  const double sum = std::accumulate(us.begin(), us.end(), 0.0);
  return {.median_us = *median(us),
          .min_us = *std::min_element(us.begin(), us.end()),
          .mean_us = sum / static_cast<double>(us.size()),
          .low_us = interval.low,
          .high_us = interval.high,
          .dispersion = relative_dispersion(us).value_or(0),
          .sample_count = static_cast<std::int64_t>(us.size()),
          .samples_us = keep_samples ? us : std::vector<double>{},
          .turns = keep_samples ? std::vector<std::int64_t>(samples.turns.begin(), samples.turns.end())
                                : std::vector<std::int64_t>{}};
}

Samples samples_of(const Timing& timing) {
  return {.us = timing.samples_us, .turns = {timing.turns.begin(), timing.turns.end()}};
}

}  // namespace gemmtune
