#include "gemmtune/worker/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/evaluate/stages.h"
#include "gemmtune/measure/sampler.h"
#include "gemmtune/space/plausibility.h"

namespace gemmtune {
namespace {

/// Other programs round otherwise, and some keep single precision.
constexpr double rounding = 1e-6;

bool agrees(double said, double computed, double scale) { return std::abs(said - computed) <= rounding * scale; }

std::string disagreement(const char* field, double said, double computed) {
  return fmt::format("evaluation.timing.{}: found {}, but its samples give {}", field, said, computed);
}

/// Whether an end of the interval lies between the median and the furthest place that the samples can explain. There
/// are several good ways to compute an interval, so it need not be the supervisor's.
bool is_explained(double said, double furthest, double median) {
  const auto [least, most] = std::minmax(furthest, median);
  return said >= least - rounding * median && said <= most + rounding * median;
}

std::string why_unlike_samples(const Timing& said, const Timing& computed) {
  if (!agrees(said.median_us, computed.median_us, computed.median_us))
    return disagreement("median_us", said.median_us, computed.median_us);
  if (!agrees(said.min_us, computed.min_us, computed.min_us))
    return disagreement("min_us", said.min_us, computed.min_us);
  if (!agrees(said.mean_us, computed.mean_us, computed.mean_us))
    return disagreement("mean_us", said.mean_us, computed.mean_us);
  if (!agrees(said.dispersion, computed.dispersion, 1))
    return disagreement("dispersion", said.dispersion, computed.dispersion);
  const double slowest_us = std::ranges::max(said.samples_us);
  if (!is_explained(said.low_us, std::min(computed.low_us, computed.min_us), computed.median_us))
    return disagreement("low_us", said.low_us, computed.low_us);
  if (!is_explained(said.high_us, std::max(computed.high_us, slowest_us), computed.median_us))
    return disagreement("high_us", said.high_us, computed.high_us);
  return "";
}

Timing summary_of(const Timing& timing) {
  return summarise({.us = timing.samples_us, .turns = {timing.turns.begin(), timing.turns.end()}}, true);
}

std::string why_wrong_turns(const Timing& timing) {
  std::int64_t left = timing.sample_count;
  for (const std::int64_t turn : timing.turns) {
    if (turn < 1 || turn > left)
      return fmt::format("evaluation.timing.turns: expected numbers of samples that add up to {}, found {}",
                         timing.sample_count, turn);
    left -= turn;
  }
  if (timing.turns.empty() || left == 0) return "";
  return fmt::format("evaluation.timing.turns: expected all of {} samples, found {} less", timing.sample_count, left);
}

/// A screening gives up early on a candidate that is far slower than the best.
bool may_have_few_samples(const Evaluation& sent, const Request& request) {
  return sent.stage == Stage::screen &&
         (sent.outcome != Outcome::ok ||
          std::ranges::min(sent.timing.samples_us) > give_up_early_factor * too_slow_factor * request.fastest_us);
}

std::string why_too_few_samples(const Evaluation& sent, const Request& request) {
  const auto& measure = request.policy.measure;
  const std::int64_t least = std::min(measure.min_samples, measure.max_samples);
  if (sent.timing.sample_count >= least || may_have_few_samples(sent, request)) return "";
  return fmt::format("evaluation.timing.sample_count: expected at least the policy's {}, found {}", least,
                     sent.timing.sample_count);
}

std::string why_times_do_not_hold(const Evaluation& sent, const Request& request) {
  const Timing& timing = sent.timing;
  if (timing.sample_count == 0) return "";
  if (timing.samples_us.empty()) return "evaluation.timing.samples_us: missing, though there are times";
  if (auto why = why_wrong_turns(timing); !why.empty()) return why;
  if (auto why = why_too_few_samples(sent, request); !why.empty()) return why;
  return why_unlike_samples(timing, summary_of(timing));
}

/// All of C, up to the size that the policy names. Beyond it, a row of each matrix is the least that one can call a
/// sample.
std::string why_checked_too_little(const Evaluation& sent, const Request& request) {
  if (sent.outcome != Outcome::ok) return "";
  const Problem& problem = request.problem;
  const bool all = flops(problem) <= static_cast<double>(request.policy.verify.full_reference_flops);
  const std::int64_t least = problem.batch * problem.n * (all ? problem.m : 1);
  if (sent.accuracy.checked >= least) return "";
  return fmt::format("evaluation.accuracy.checked: expected at least {} elements of this problem, found {}", least,
                     sent.accuracy.checked);
}

std::string why_not_believed(const Evaluation& sent, const Request& request) {
  if (sent.stage != request.policy.stage)
    return fmt::format("evaluation.stage: expected '{}', found '{}'", to_string(request.policy.stage),
                       to_string(sent.stage));
  if (auto why = why_implausible(sent, request.problem, request.policy.verify); !why.empty()) return why;
  if (auto why = why_checked_too_little(sent, request); !why.empty()) return why;
  return why_times_do_not_hold(sent, request);
}

/// The supervisor's own summary, in place of the worker's.
void recompute(Timing& timing) {
  const Timing computed = summary_of(timing);
  timing.median_us = computed.median_us;
  timing.min_us = computed.min_us;
  timing.mean_us = computed.mean_us;
  timing.low_us = computed.low_us;
  timing.high_us = computed.high_us;
  timing.dispersion = computed.dispersion;
}

}  // namespace

Evaluation audited(Evaluation sent, const Request& request) {
  if (const auto why = why_not_believed(sent, request); !why.empty()) fail(ErrorCode::protocol, "{}", why);
  Timing& timing = sent.timing;
  if (!timing.samples_us.empty()) recompute(timing);
  if (request.policy.measure.keep_samples) return sent;
  timing.samples_us.clear();
  timing.turns.clear();
  return sent;
}

Evaluation audited_without_times(Evaluation sent, const Request& request) {
  if (sent.stage != request.policy.stage)
    fail(ErrorCode::protocol, "evaluation.stage: expected '{}', found '{}'", to_string(request.policy.stage),
         to_string(sent.stage));
  if (sent.timing.sample_count != 0 || !sent.timing.samples_us.empty())
    fail(ErrorCode::protocol, "evaluation.timing: found times, expected none");
  sent.timing = {};
  auto untimed = request.policy;
  untimed.stage = Stage::prove;  // the stage that times nothing
  const Stage stage = std::exchange(sent.stage, untimed.stage);
  sent = audited(std::move(sent), {request.problem, untimed});
  sent.stage = stage;
  return sent;
}

std::string why_not_reusable(const Evaluation& kept, const Request& request) {
  if (auto why = why_implausible(kept, request.problem, request.policy.verify); !why.empty()) return why;
  if (kept.timing.samples_us.empty()) return "";
  if (auto why = why_wrong_turns(kept.timing); !why.empty()) return why;
  // Older stores kept no turns, so that the interval cannot be computed again.
  Timing computed = summary_of(kept.timing);
  computed.low_us = std::min(computed.low_us, kept.timing.low_us);
  computed.high_us = std::max(computed.high_us, kept.timing.high_us);
  return why_unlike_samples(kept.timing, computed);
}

}  // namespace gemmtune
