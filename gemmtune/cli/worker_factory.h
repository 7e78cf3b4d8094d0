// The workers of a tuning run: one for each device, each this program again as `gemmtune worker`, or all in this
// process.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

struct WorkerSettings {
  std::vector<std::string> devices{};
  double candidate_timeout_s{1800};
  bool in_process{};
  bool split_k{};  // else candidates that split K are left out, as AITER does without -k
};

/// Makes the evaluator of worker i, on device i.
WorkerFactory worker_factory(WorkerSettings settings);

}  // namespace gemmtune
