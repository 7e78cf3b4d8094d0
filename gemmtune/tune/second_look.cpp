#include "gemmtune/tune/second_look.h"

#include <algorithm>

namespace gemmtune {
namespace {

constexpr double implausible_gain = 10;
constexpr double wide_interval = 1.25;  // the upper end divided by the lower end

double gain(const ShapeResult& result) {
  return result.default_choice->timing.median_us / result.winner->timing.median_us;
}

bool has_gain(const ShapeResult& result) {
  return result.winner && result.default_choice && result.winner->timing.median_us > 0 &&
         !(result.winner->candidate == result.default_choice->candidate);
}

/// A candidate that is merely inaccurate has a time too.
const Evaluation* timed(std::span<const Evaluation> evaluations, const Candidate& candidate) {
  const auto at = std::ranges::find_if(
      evaluations, [&](const Evaluation& e) { return e.candidate == candidate && e.timing.median_us > 0; });
  return at == evaluations.end() ? nullptr : &*at;
}

Timing scaled(Timing timing, double factor) {
  for (double* us : {&timing.median_us, &timing.min_us, &timing.mean_us, &timing.low_us, &timing.high_us})
    *us *= factor;
  for (double& us : timing.samples_us) us *= factor;
  return timing;
}

}  // namespace

bool is_doubtful_gain(const ShapeResult& result) {
  if (!has_gain(result)) return false;
  const auto& timing = result.default_choice->timing;
  const bool is_wide = timing.high_us > wide_interval * timing.low_us;
  return gain(result) > implausible_gain || (is_wide && gain(result) > 1);
}

EvaluationPolicy second_look_policy(const TunePlan& plan) {
  constexpr std::int64_t turn = 8;
  constexpr std::int64_t turns = 5;
  auto policy = with_samples(plan.confirm, turn * turns);
  policy.measure.min_samples = turn;
  return policy;
}

ShapeResult with_second_look(ShapeResult result, std::span<const Evaluation> evaluations) {
  const auto* winner = timed(evaluations, result.winner->candidate);
  const auto* default_choice = timed(evaluations, result.default_choice->candidate);
  if (winner == nullptr || default_choice == nullptr) return without_second_look(std::move(result));
  auto again = scaled(default_choice->timing, result.winner->timing.median_us / winner->timing.median_us);
  if (again.median_us < result.default_choice->timing.median_us) result.default_choice->timing = std::move(again);
  return result;
}

bool is_default_faster(const ShapeResult& result) {
  return has_gain(result) && result.default_choice->outcome == Outcome::ok && gain(result) < 1;
}

ShapeResult without_second_look(ShapeResult result) {
  if (gain(result) > implausible_gain) result.default_choice.reset();
  return result;
}

}  // namespace gemmtune
