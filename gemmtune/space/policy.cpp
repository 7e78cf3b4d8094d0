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

EvaluationPolicy with_samples(EvaluationPolicy policy, std::int64_t samples) {
  constexpr std::int64_t brief_warmup = 2;
  auto& measure = policy.measure;
  measure.warmup = std::min(measure.warmup, brief_warmup);
  measure.min_samples = (samples + 1) / 2;
  measure.max_samples = samples;
  measure.target_dispersion = 0;
  return policy;
}

}  // namespace gemmtune
