// How candidates are measured and checked. The tuner sets the policy, and every evaluator and worker follows it.
#pragma once

#include <cstdint>
#include <vector>

#include "gemmtune/space/evaluation.h"

namespace gemmtune {

struct MeasurePolicy {
  std::int64_t warmup{5};  // launches not counted
  std::int64_t min_samples{3};
  std::int64_t max_samples{101};    // AITER's --iters
  double max_sampling_s{1.0};       // stop when the samples of a candidate add up to this, once there are min_samples
  double target_dispersion{0.005};  // stop when half the median's confidence interval is below this share of it
  bool keep_samples{};
  bool cold_cache{true};     // rotate operands over at least twice the last-level cache
  bool cold_instructions{};  // before each launch, empty the instruction caches of the device's own units too

  bool operator==(const MeasurePolicy&) const = default;
};

struct VerifyPolicy {
  double err_ratio_limit{0.05};  // AITER's --errRatio
  double atol{1e-2};
  double rtol{1e-2};
  std::int64_t full_reference_flops{4'000'000'000};  // above this, rows are sampled: some of each stripe of 32

  bool operator==(const VerifyPolicy&) const = default;
};

struct EvaluationPolicy {
  Stage stage{Stage::screen};
  MeasurePolicy measure{};
  VerifyPolicy verify{};
  std::uint64_t seed{0};

  bool operator==(const EvaluationPolicy&) const = default;
};

/// The policy of each stage, before flags change it.
EvaluationPolicy screen_policy();
EvaluationPolicy confirm_policy();
EvaluationPolicy prove_policy();

/// The same policy for an evaluation that follows others: the device's clock has settled by then.
EvaluationPolicy with_brief_warmup(EvaluationPolicy policy);

/// The policy of a round that takes this many samples of each candidate, in two turns or more, whatever the samples
/// show. Its warm-up is brief.
EvaluationPolicy with_samples(EvaluationPolicy policy, std::int64_t samples);

/// The same policy with other operands, which are drawn from another seed and lie at other addresses. A kernel's time
/// depends on where its operands lie, and keeps what it gains or loses by that until they move: measuring longer does
/// not show it, measuring again with another placement does. Placement 0 is the policy's own.
EvaluationPolicy with_placement(EvaluationPolicy policy, std::int64_t placement);

}  // namespace gemmtune
