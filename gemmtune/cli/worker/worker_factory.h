// The workers of a tuning run: one for each device, each this program again as `gemmtune worker`, or all in this
// process.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// Which of a family's first candidates are tried.
enum class Sample {
  first,    // the first ones
  diverse,  // half of them the first ones, the others as different from each other as can be
};

/// Which candidates are tried; what users have without tuning always is, where its family is.
struct Selection {
  std::vector<std::string> families{};  // empty: all
  bool split_k{};                       // else those that split K are left out, as AITER does
  std::int64_t most_of_a_family{std::numeric_limits<std::int64_t>::max()};
  Sample sample{Sample::first};
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
