// The three stages of an evaluation. Each stage reports every candidate of the request exactly once, unless it is
// interrupted.
#pragma once

#include <atomic>
#include <functional>
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

/// How an evaluator handles a request. run_stage() runs the stage that the policy names.
using RunStage = std::function<void(const Workbench&, const EvaluationRequest&, EvaluationObserver&)>;
void run_stage(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer);

/// How many operand sets launches take in turn under this policy. An attempt that packs its weights may have fewer.
std::size_t rotation(const Workbench& bench, const EvaluationRequest& request);
std::size_t rotation(const Workbench& bench, const EvaluationRequest& request, const Attempt& attempt);

/// Operands of a recipe and seed, in one set or more. Null when they cannot be had; that settles the attempt. The
/// attempt that needs them first is charged for making them.
Workload* find_workload(const Workbench& bench, const WorkloadKey& key, std::size_t sets, Attempt& attempt);

/// The operands for timing: gaussian, of the policy's seed, in as many sets as the policy rotates over.
Workload* timed_workload(const Workbench& bench, const EvaluationRequest& request, Attempt& attempt);

/// A candidate that is slower than the best by this factor is no finalist, however many samples are taken.
inline constexpr double too_slow_factor = 2.0;

/// Takes candidates one by one: each is checked and, if right, timed with few samples. A candidate that is far slower
/// than the best so far gets the fewest samples.
void screen(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer);

/// Takes candidates together: all are checked, those that are right are timed in turn, and each is checked again.
/// When their packed weights and workspaces do not fit in a third of the memory, they are taken in groups that do. A
/// candidate that is merely inaccurate is timed as well and still counts as wrong: it may be the default choice, with
/// which the others are compared.
void confirm(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer);

/// Checks candidates against adversarial operands, and against gaussian operands of another seed. Nothing is timed. A
/// candidate that declines to pack some weights is not wrong; the reason says which weights it declined.
void prove(const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer);

}  // namespace gemmtune
