#include "gemmtune/measure/pooling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gemmtune/measure/statistics.h"
#include "gemmtune/measure/turn_scatter.h"

namespace gemmtune {
namespace {

/// To each side of the median, in an interval of 95 % under normal noise.
constexpr double deviations_in_interval = 1.96;

/// The weight of the usual deviation, as a number of changes.
constexpr double changes_worth = 2;

/// Changes that are larger than three quarters of them by this factor count as so large: 2.6 standard deviations of
/// normal noise.
constexpr double outlying = 2.25;

/// One candidate's time in one confirmation.
struct Look {
  double log_time{};  // at the clock of the first confirmation
  double deviation{};
};

struct Pool {
  std::vector<const Evaluation*> evaluations{};
  std::vector<Look> looks{};

  double mean() const {
    const double sum = std::accumulate(looks.begin(), looks.end(), 0.0,
                                       [](double all, const Look& look) { return all + look.log_time; });
    return sum / static_cast<double>(looks.size());
  }
};

bool is_timed(const Evaluation& evaluation) { return evaluation.timing.median_us > 0; }

Pool* find(std::vector<Pool>& pools, const Candidate& candidate) {
  const auto at =
      std::ranges::find_if(pools, [&](const Pool& pool) { return pool.evaluations.front()->candidate == candidate; });
  return at == pools.end() ? nullptr : &*at;
}

/// How much slower the clock of this confirmation is than that of the first.
double clock_of(std::vector<Pool>& pools, const std::vector<Evaluation>& confirmation,
                const std::vector<TurnTime>& times) {
  std::vector<double> changes;
  for (std::size_t i = 0; i < confirmation.size(); ++i)
    if (const auto* known = find(pools, confirmation[i].candidate); known != nullptr && is_timed(confirmation[i]))
      changes.push_back(times[i].log_us - known->mean());
  return common_change(std::move(changes));
}

void add(std::vector<Pool>& pools, const Evaluation& evaluation, const Look& look) {
  auto* pool = find(pools, evaluation.candidate);
  if (pool == nullptr) pool = &pools.emplace_back();
  pool->evaluations.push_back(&evaluation);
  pool->looks.push_back(look);
}

std::vector<Change> changes_of(const std::vector<Pool>& pools) {
  std::vector<Change> changes;
  for (const auto& [evaluations, looks] : pools)
    for (std::size_t i = 1; i < looks.size(); ++i)
      changes.push_back(
          {.log_time = looks[i].log_time - looks[i - 1].log_time,
           .variance = looks[i].deviation * looks[i].deviation + looks[i - 1].deviation * looks[i - 1].deviation});
  return changes;
}

void join_timing(Timing& all, const Timing& next) {
  const auto count = static_cast<double>(all.sample_count);
  const auto more = static_cast<double>(next.sample_count);
  all.min_us = std::min(all.min_us, next.min_us);
  if (count + more > 0) {
    all.mean_us = (all.mean_us * count + next.mean_us * more) / (count + more);
    all.dispersion = (all.dispersion * count + next.dispersion * more) / (count + more);
  }
  all.sample_count += next.sample_count;
  all.samples_us.insert(all.samples_us.end(), next.samples_us.begin(), next.samples_us.end());
  all.turns.insert(all.turns.end(), next.turns.begin(), next.turns.end());
  all.clock_mhz = next.clock_mhz;
  all.throttled = all.throttled || next.throttled;
}

void join_accuracy(Accuracy& all, const Accuracy& next) {
  all.err_ratio = std::max(all.err_ratio, next.err_ratio);
  all.worst_error = std::max(all.worst_error, next.worst_error);
  all.worst_share_of_bound = std::max(all.worst_share_of_bound, next.worst_share_of_bound);
  all.unwritten = std::max(all.unwritten, next.unwritten);
  all.checked = std::max(all.checked, next.checked);
  all.guards_intact = all.guards_intact && next.guards_intact;
}

Evaluation joined(const Pool& pool, double clock, double placement) {
  Evaluation all = *pool.evaluations.front();
  for (const auto* next : std::span(pool.evaluations).subspan(1)) {
    if (all.outcome == Outcome::ok) {
      all.outcome = next->outcome;
      all.reason = next->reason;
    }
    join_timing(all.timing, next->timing);
    join_accuracy(all.accuracy, next->accuracy);
    all.cost += next->cost;
  }
  double variance = 0;
  for (const auto& look : pool.looks) variance += look.deviation * look.deviation + placement * placement;
  const double deviation = std::sqrt(variance) / static_cast<double>(pool.looks.size());
  all.timing.median_us = std::exp(pool.mean() + clock);
  all.timing.low_us = all.timing.median_us * std::exp(-deviations_in_interval * deviation);
  all.timing.high_us = all.timing.median_us * std::exp(deviations_in_interval * deviation);
  return all;
}

}  // namespace

double common_change(std::vector<double> changes) {
  if (changes.empty()) return 0;
  std::ranges::sort(changes);
  const auto outside = changes.size() / 4;
  const auto middle = std::span(changes).subspan(outside, changes.size() - 2 * outside);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

double deviation_of_placement(std::span<const Change> changes, std::size_t clocks) {
  std::vector<double> sizes;
  for (const auto& change : changes) sizes.push_back(std::abs(change.log_time));
  const double largest = outlying * quantile(sizes, 0.75).value_or(0);
  double squares = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double size = std::min(sizes[i], largest);
    squares += std::max(0.0, size * size - changes[i].variance) / 2;
  }
  const auto count = static_cast<double>(changes.size());
  if (changes.size() > clocks) squares *= count / (count - static_cast<double>(clocks));
  squares += changes_worth * usual_deviation_of_placement * usual_deviation_of_placement;
  const double known = changes_worth + count;
  // A deviation learnt from few is uncertain itself: about the square of Student's t over that of the normal quantile.
  const double unsure = 1 + 3 / known;
  return std::max(least_deviation_of_placement, std::sqrt(unsure * squares / known));
}

std::vector<Evaluation> pooled(std::span<const std::vector<Evaluation>> confirmations) {
  std::vector<Pool> pools;
  std::vector<double> clocks;
  for (const auto& confirmation : confirmations) {
    if (std::ranges::none_of(confirmation, is_timed)) continue;
    const auto times = times_by_turns(confirmation);
    clocks.push_back(clock_of(pools, confirmation, times));
    for (std::size_t i = 0; i < confirmation.size(); ++i)
      if (is_timed(confirmation[i]))
        add(pools, confirmation[i], {.log_time = times[i].log_us - clocks.back(), .deviation = times[i].deviation});
  }
  if (pools.empty()) return {};
  const double clock = std::accumulate(clocks.begin(), clocks.end(), 0.0) / static_cast<double>(clocks.size());
  const double placement = deviation_of_placement(changes_of(pools), clocks.size() - 1);
  const bool repeated = std::ranges::any_of(pools, [](const Pool& pool) { return pool.looks.size() > 1; });
  std::vector<Evaluation> all;
  for (const auto& pool : pools) all.push_back(repeated ? joined(pool, clock, placement) : *pool.evaluations.front());
  return all;
}

}  // namespace gemmtune
