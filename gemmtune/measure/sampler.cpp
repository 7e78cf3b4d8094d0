#include "gemmtune/measure/sampler.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "gemmtune/core/clock.h"
#include "gemmtune/measure/statistics.h"

namespace gemmtune {
namespace {

/// A block holds at most this many samples, and at most about this much time: the rule is asked often enough to
/// overshoot no budget by much, and not so often that its arithmetic shows beside short kernels.
constexpr std::int64_t largest_block = 8;
constexpr double longest_block_us = 20'000;

/// In turns with others a block is never shorter, lest its uncounted launch cost as much as its samples.
constexpr std::int64_t smallest_turn = 4;

/// One launch and the samples taken of it.
class Series {
 public:
  Series(Timer& timer, const Timer::Launch& launch) : timer_(&timer), launch_(&launch) {}

  void warm_up(std::int64_t launches) {
    if (launches > 0) last_us_ = run(launches).back();
  }

  void take(std::int64_t launches) {
    const auto times = run(launches);
    samples_us_.insert(samples_us_.end(), times.begin(), times.end());
    if (!times.empty()) last_us_ = times.back();
  }

  /// Roughly how long a launch takes; 0 while none has been seen.
  double launch_us() const { return samples_us_.empty() ? last_us_ : *median(samples_us_); }

  std::int64_t count() const { return static_cast<std::int64_t>(samples_us_.size()); }
  const std::vector<double>& samples_us() const { return samples_us_; }

 private:
  std::vector<double> run(std::int64_t launches) {
    auto times = timer_->time_us(*launch_, next_, launches);
    next_ += launches;
    return times;
  }

  Timer* timer_;
  const Timer::Launch* launch_;
  std::int64_t next_{};
  std::vector<double> samples_us_;
  double last_us_{};
};

/// As a share of the fastest median.
constexpr double contends = 1.02;

bool done(const Series& series, const MeasurePolicy& policy, const StopRule& rule) {
  return series.count() >= policy.max_samples || rule.enough(series.samples_us());
}

/// Which of them are to be sampled on: who is not done, and who contends for the first place with one who is not.
std::vector<std::size_t> still_wanted(const std::vector<Series>& all, const MeasurePolicy& policy,
                                      const StopRule& rule) {
  double fastest_us = std::numeric_limits<double>::infinity();
  for (const auto& series : all) fastest_us = std::min(fastest_us, median(series.samples_us()).value_or(0));
  const auto contender = [&](const Series& series) {
    return median(series.samples_us()).value_or(0) <= contends * fastest_us;
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

/// The first block holds the samples that must be there anyway, unless launches are so long that the rule should see
/// each: it may give up on a slow one at once.
std::int64_t next_block(const Series& series, const MeasurePolicy& policy, std::int64_t smallest) {
  const double longest = longest_block_us / std::max(series.launch_us(), 1.0);
  const auto fitting = static_cast<std::int64_t>(std::min<double>(largest_block, longest));
  const bool at_once = series.count() == 0 && static_cast<double>(policy.min_samples) <= longest;
  const auto wanted = at_once ? policy.min_samples : fitting;
  return std::min(std::max(wanted, smallest), policy.max_samples - series.count());
}

}  // namespace

std::vector<double> sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy) {
  return sample(timer, launch, policy, *make_stop_rule(policy));
}

std::vector<double> sample(Timer& timer, const Timer::Launch& launch, const MeasurePolicy& policy,
                           const StopRule& rule) {
  Series series(timer, launch);
  series.warm_up(policy.warmup);
  while (!done(series, policy, rule)) series.take(next_block(series, policy, 1));
  return series.samples_us();
}

std::vector<std::vector<double>> sample_interleaved(Timer& timer, std::span<const Timer::Launch> launches,
                                                    const MeasurePolicy& policy,
                                                    const std::function<void(std::size_t)>& before_block) {
  const auto rule = make_stop_rule(policy);
  std::vector<Series> all;
  for (const auto& launch : launches) all.emplace_back(timer, launch);
  const auto take_turn = [&](std::size_t i) {
    if (before_block) before_block(i);
    all[i].warm_up(all[i].count() == 0 ? policy.warmup : std::min<std::int64_t>(policy.warmup, 1));
    all[i].take(next_block(all[i], policy, smallest_turn));
  };
  auto round = still_wanted(all, policy, *rule);
  for (bool forth = true; !round.empty(); forth = !forth) {
    if (!forth) std::reverse(round.begin(), round.end());
    for (const auto i : round) take_turn(i);
    round = still_wanted(all, policy, *rule);
  }
  std::vector<std::vector<double>> samples;
  samples.reserve(all.size());
  for (const auto& series : all) samples.push_back(series.samples_us());
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

Timing summarise(std::span<const double> samples_us, bool keep_samples) {
  if (samples_us.empty()) return {};
  const auto interval = *median_interval(samples_us);
  const double sum = std::accumulate(samples_us.begin(), samples_us.end(), 0.0);
  Timing timing{.median_us = *median(samples_us),
                .min_us = *std::min_element(samples_us.begin(), samples_us.end()),
                .mean_us = sum / static_cast<double>(samples_us.size()),
                .low_us = interval.low,
                .high_us = interval.high,
                .dispersion = relative_dispersion(samples_us).value_or(0),
                .sample_count = static_cast<std::int64_t>(samples_us.size())};
  if (keep_samples) timing.samples_us.assign(samples_us.begin(), samples_us.end());
  return timing;
}

}  // namespace gemmtune
