// Launches candidates many times, back to back and between other kernels, to find faults that show once in many
// launches, such as a race or a block that exits too early.
//
// Not: a stage of tuning, or how often and with which seeds this is done (cli/stress).
#pragma once

#include <cstdint>

#include "gemmtune/evaluate/stages.h"

namespace gemmtune {

struct StressPolicy {
  std::int64_t launches{200};  // of each candidate, with one seed
};

/// Stresses one candidate after the other. The output of a first launch is compared with the reference. Then launches
/// are queued back to back, replayed as the device's timer replays them, and queued between a memset and launches of
/// the last candidate that passed. Their outputs must equal the first one bit for bit, or else be right by themselves:
/// then the outcome is ok, and the reason says that bits change. Nothing is timed.
void stress(const Workbench& bench, const EvaluationRequest& request, const StressPolicy& policy,
            EvaluationObserver& observer);

}  // namespace gemmtune
