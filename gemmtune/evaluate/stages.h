// The three stages of an evaluation. Each reports every candidate of the request exactly once, unless it is
// interrupted.
#pragma once

#include <atomic>
#include <span>

#include "gemmtune/device/device.h"
#include "gemmtune/evaluate/attempt.h"
#include "gemmtune/evaluate/evaluator.h"
#include "gemmtune/evaluate/workload.h"

namespace gemmtune {

/// What all stages work with.
struct Workbench {
  Device& device;
  const Families& families;
  WorkloadCache& workloads;
  const std::atomic<bool>& interrupted;  // set from another thread: stop soon, without those not yet reported
};

struct EvaluationRequest {
  const Problem& problem;
  std::span<const Candidate> candidates;
  const EvaluationPolicy& policy;
};

/// How many operand sets launches take in turn under this policy; those of an attempt that packs weights, which may be
/// fewer.
std::size_t rotation(const Workbench& bench, const EvaluationRequest& request);
std::size_t rotation(const Workbench& bench, const EvaluationRequest& request, const Attempt& attempt);

/// Operands of a recipe and seed in one set or more; null when they cannot be had, which settles the attempt. What it
/// costs to make them goes to the attempt that is the first to need them.
Workload* find_workload(const Workbench& bench, const WorkloadKey& key, std::size_t sets, Attempt& attempt);

/// Those that are timed: gaussian, of the policy's seed, in as many sets as it rotates over.
Workload* timed_workload(const Workbench& bench, const EvaluationRequest& request, Attempt& attempt);

/// Twice as slow as the best is no finalist, however many samples say so.
inline constexpr double too_slow_factor = 2.0;

/// One by one: checked, and if right timed with few samples; what is far slower than the best so far with the fewest.
void screen(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer);

/// Together: all checked, those that are right timed in turn, then each checked again. When their packed weights and
/// workspaces do not fit in a third of the memory, in groups that do. What is merely inaccurate is timed as well, and
/// wrong all the same: it may be the default choice, which the others are compared with.
void confirm(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer);

/// Against adversarial operands and gaussian ones of another seed; nothing is timed. A candidate that declines to pack
/// some weights is not wrong for it: the reason says which.
void prove(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer);

}  // namespace gemmtune
