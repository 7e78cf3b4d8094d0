// Launches candidates many times, back to back and between other kernels, to find faults that show once in many
// launches, such as a race or a block that exits too early.
//
// Not: how often and with which seeds all candidates of a family are stressed (cli/stress).
#pragma once

#include <cstdint>
#include <limits>

#include "gemmtune/evaluate/stages.h"

namespace gemmtune {

struct StressPolicy {
  std::int64_t launches{200};                              // of each candidate, with one seed
  double most_s{std::numeric_limits<double>::infinity()};  // launches end after about this long
};

/// The stress of a winner, as part of its proof. A crash in one launch of a hundred shows in 200 launches with 87 %
/// probability. They take well under a second on a GPU, unless a launch takes milliseconds. On a CPU, one launch ends
/// before the next begins, so that launches which take long are not worth as much time.
StressPolicy proof_stress(const DeviceInfo& device);

/// How many sets are launched on, for operands of this size: the next launch should not write where the last one did.
std::size_t stressed_sets(const Workbench& bench, const Problem& problem, std::size_t packed_bytes);

/// An attempt whose operands are in place: in so many sets, the first of which was checked.
struct StressedAttempt {
  Attempt& attempt;
  Workload& workload;
  std::size_t sets{};
  const MeasurePolicy& measure;
  Attempt* neighbour{};  // its launches, on one set more, come between those of the attempt
};

/// Launches are queued back to back, replayed as the device's timer replays them, and queued between a memset and
/// launches of the neighbour, in batches. After each batch, the output of each set must equal the checked one bit for
/// bit, or else be right by itself: then the outcome is ok, and the reason says that bits change. Nothing is timed.
void stress_attempt(const Workbench& bench, const StressPolicy& policy, const StressedAttempt& stressed);

/// Stresses one candidate after the other. The output of a first launch is compared with the reference. The neighbour
/// of each candidate is the last one that passed.
void stress(const Workbench& bench, const EvaluationRequest& request, const StressPolicy& policy,
            EvaluationObserver& observer);

}  // namespace gemmtune
