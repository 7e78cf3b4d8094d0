// Stage confirm for candidates of several worker processes of one device: each process prepares and checks its own, and
// they are timed in turns under one stop rule, so that drift of the device affects all alike.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/evaluate/steps.h"

namespace gemmtune {

/// The candidates of one process.
struct ProcessShare {
  Steps* steps{};
  std::vector<Candidate> candidates{};
};

/// What the processes are asked for.
struct TurnsAcross {
  const Problem& problem;
  const EvaluationPolicy& policy;
  DeviceKind device{DeviceKind::cpu};
  const std::atomic<bool>& interrupted;
};

/// Reports every candidate exactly once, unless it is interrupted. When a process is lost, the candidate that was
/// running is reported, and all others begin anew.
void confirm_across(const TurnsAcross& turns, std::vector<ProcessShare> shares, EvaluationObserver& observer);

}  // namespace gemmtune
