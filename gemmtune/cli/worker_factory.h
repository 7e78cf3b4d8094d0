// The workers of a tuning run: one for each device, each this program again as `gemmtune worker`, or all in this
// process.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Which of a family's candidates are tried; what users have without tuning always is.
struct Selection {
  bool split_k{};  // else those that split K are left out, as AITER does
  std::int64_t most_of_a_family{std::numeric_limits<std::int64_t>::max()};  // the first ones
};

struct WorkerSettings {
  std::vector<std::string> devices{};
  double candidate_timeout_s{1800};
  bool in_process{};
  Selection selection{};
};

/// Makes the evaluator of worker i, on device i.
WorkerFactory worker_factory(WorkerSettings settings);

}  // namespace gemmtune
