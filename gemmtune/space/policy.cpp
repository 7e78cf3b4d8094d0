#include "gemmtune/space/policy.h"

#include <algorithm>

namespace gemmtune {

EvaluationPolicy screen_policy() {
  return {
      .stage = Stage::screen,
      .measure = {.warmup = 1, .min_samples = 3, .max_samples = 10, .max_sampling_s = 0.05, .target_dispersion = 0.02}};
}

EvaluationPolicy confirm_policy() {
  return {.stage = Stage::confirm, .measure = {.min_samples = 11, .max_sampling_s = 0.5, .keep_samples = true}};
}

EvaluationPolicy prove_policy() {
  return {.stage = Stage::prove, .measure = {.warmup = 0, .min_samples = 0, .max_samples = 0}};
}

EvaluationPolicy with_brief_warmup(EvaluationPolicy policy) {
  constexpr std::int64_t brief_warmup = 1;
  policy.measure.warmup = std::min(policy.measure.warmup, brief_warmup);
  return policy;
}

EvaluationPolicy with_samples(EvaluationPolicy policy, std::int64_t samples) {
  policy = with_brief_warmup(policy);
  auto& measure = policy.measure;
  measure.min_samples = (samples + 1) / 2;
  measure.max_samples = samples;
  measure.target_dispersion = 0;
  return policy;
}

// A proof draws operands from the next few seeds.
EvaluationPolicy with_placement(EvaluationPolicy policy, std::int64_t placement) {
  constexpr std::uint64_t seeds_apart = 1000;
  policy.seed += seeds_apart * static_cast<std::uint64_t>(placement);
  return policy;
}

}  // namespace gemmtune
