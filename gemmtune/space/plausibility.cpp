#include "gemmtune/space/plausibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace gemmtune {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double fastest_clock_mhz = 1e5;
constexpr double longest_cost_s = 1e7;

/// The dispersion of times above 0 is at most this: half of them are below the median, and so no further from it than
/// it is from 0.
constexpr double largest_dispersion = 1.4826 * (1 + 1e-6);

/// The interval of two samples reaches beyond them, and may reach below 0. No rule widens it as far as this many times
/// the median.
constexpr double furthest_below = 100;

/// Keeps the first rule that does not hold.
class Rules {
 public:
  void demand(bool holds, std::string_view why) {
    if (why_.empty() && !holds) why_ = fmt::format("evaluation.{}", why);
  }

  void within(std::string_view field, double value, double least, double most) {
    if (!why_.empty() || (value >= least && value <= most)) return;  // NaN is within nothing
    why_ = most == infinite ? fmt::format("evaluation.{}: expected at least {}, found {}", field, least, value)
                            : fmt::format("evaluation.{}: expected {} to {}, found {}", field, least, most, value);
  }

  void within(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (!why_.empty() || (value >= least && value <= most)) return;
    why_ = fmt::format("evaluation.{}: expected {} to {}, found {}", field, least, most, value);
  }

  /// Of a wrong result some numbers cannot be told: NaN.
  void within_if_known(std::string_view field, double value, double most) {
    if (!std::isnan(value)) within(field, value, 0, most);
  }

  const std::string& why() const { return why_; }

 private:
  std::string why_{};
};

std::int64_t elements_of(const Problem& problem) {
  const double count =
      static_cast<double>(problem.batch) * static_cast<double>(problem.m) * static_cast<double>(problem.n);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return count < static_cast<double>(most) ? problem.batch * problem.m * problem.n : most;
}

bool is_timed(const Timing& timing) { return timing.sample_count != 0 || !timing.samples_us.empty(); }

void check_untimed(Rules& rules, const Timing& timing) {
  const bool is_empty = timing.median_us == 0 && timing.min_us == 0 && timing.mean_us == 0 && timing.low_us == 0 &&
                        timing.high_us == 0 && timing.dispersion == 0;
  rules.demand(is_empty, "timing.sample_count: 0, though there are times");
}

void check_samples(Rules& rules, const Timing& timing) {
  rules.within("timing.sample_count", timing.sample_count, 1, std::numeric_limits<std::int64_t>::max());
  if (timing.samples_us.empty()) return;
  const auto count = static_cast<std::int64_t>(timing.samples_us.size());
  rules.demand(
      timing.sample_count == count,
      fmt::format("timing.sample_count: expected the number of samples, {}, found {}", count, timing.sample_count));
  for (const double sample : timing.samples_us)
    rules.within("timing.samples_us", sample, shortest_time_us, longest_time_us);
}

void check_summary(Rules& rules, const Timing& timing) {
  rules.within("timing.median_us", timing.median_us, shortest_time_us, longest_time_us);
  rules.within("timing.min_us", timing.min_us, shortest_time_us, timing.median_us);
  rules.within("timing.mean_us", timing.mean_us, timing.min_us * (1 - 1e-6), longest_time_us);
  rules.within("timing.low_us", timing.low_us, -furthest_below * timing.median_us, timing.median_us);
  rules.within("timing.high_us", timing.high_us, timing.median_us, longest_time_us);
  rules.within("timing.dispersion", timing.dispersion, 0, largest_dispersion);
}

void check_resources(Rules& rules, const Timing& timing, const Problem& problem) {
  rules.within("timing.pack_us", timing.pack_us, 0, longest_time_us);
  rules.within("timing.packed_bytes", timing.packed_bytes, 0, most_bytes);
  rules.within("timing.workspace_bytes", timing.workspace_bytes, 0, most_bytes);
  rules.within("timing.clock_mhz", timing.clock_mhz, 0, fastest_clock_mhz);
  rules.demand(problem.packed || (timing.packed_bytes == 0 && timing.pack_us == 0),
               "timing.packed_bytes: weights were packed ahead, which the problem does not allow");
}

void check_right(Rules& rules, const Accuracy& accuracy, const VerifyPolicy& verify) {
  rules.within("accuracy.checked", accuracy.checked, 1, std::numeric_limits<std::int64_t>::max());
  rules.demand(accuracy.unwritten == 0 && accuracy.guards_intact && !(accuracy.worst_share_of_bound > 1),
               "accuracy: shows a wrong result, though the outcome is 'ok'");
  rules.within("accuracy.err_ratio", accuracy.err_ratio, 0, std::min(verify.err_ratio_limit, 1.0));
  rules.within("accuracy.worst_error", accuracy.worst_error, 0, std::numeric_limits<double>::max());
  rules.within("accuracy.worst_share_of_bound", accuracy.worst_share_of_bound, 0, 1);
}

void check_wrong(Rules& rules, const Accuracy& accuracy) {
  rules.within_if_known("accuracy.err_ratio", accuracy.err_ratio, 1);
  rules.within_if_known("accuracy.worst_error", accuracy.worst_error, infinite);
  rules.within_if_known("accuracy.worst_share_of_bound", accuracy.worst_share_of_bound, infinite);
}

void check_cost(Rules& rules, const Cost& cost) {
  rules.within("cost.kernel_s", cost.kernel_s, 0, longest_cost_s);
  rules.within("cost.prepare_s", cost.prepare_s, 0, longest_cost_s);
  rules.within("cost.operands_s", cost.operands_s, 0, longest_cost_s);
  rules.within("cost.reference_s", cost.reference_s, 0, longest_cost_s);
  rules.within("cost.verify_s", cost.verify_s, 0, longest_cost_s);
}

}  // namespace

std::string why_implausible(const Evaluation& evaluation, const Problem& problem, const VerifyPolicy& verify) {
  const bool is_ok = evaluation.outcome == Outcome::ok;
  const Timing& timing = evaluation.timing;
  const Accuracy& accuracy = evaluation.accuracy;
  const std::int64_t elements = elements_of(problem);
  Rules rules;
  rules.demand(is_ok || !evaluation.reason.empty(), "reason: empty, though the outcome is not 'ok'");
  rules.within("accuracy.checked", accuracy.checked, 0, elements);
  rules.within("accuracy.unwritten", accuracy.unwritten, 0, elements);
  is_ok ? check_right(rules, accuracy, verify) : check_wrong(rules, accuracy);
  if (is_ok && evaluation.stage != Stage::prove)
    rules.demand(is_timed(timing), "timing.sample_count: 0, though the outcome is 'ok'");
  if (is_timed(timing)) {
    check_samples(rules, timing);
    check_summary(rules, timing);
  } else {
    check_untimed(rules, timing);
  }
  check_resources(rules, timing, problem);
  check_cost(rules, evaluation.cost);
  return rules.why();
}

}  // namespace gemmtune
