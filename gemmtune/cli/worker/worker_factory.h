// Makes the workers of a tuning run, one for each device. A worker is another process of this program (`gemmtune
// worker`), or an evaluator in this process.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/bench/roofline.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// How a limited number of candidates is chosen from a family.
enum class Sample {
  first,    // the first candidates
  diverse,  // half of them the first candidates, the others as different from each other as possible
};

/// Which candidates are tried. The default choices of the selected families are always tried.
struct Selection {
  std::vector<std::string> families{};  // empty: all
  bool split_k{};                       // false: candidates that split K are left out, as AITER does
  std::int64_t most_of_a_family{std::numeric_limits<std::int64_t>::max()};
  Sample sample{Sample::first};
};

struct WorkerSettings {
  std::vector<std::string> devices{};
  double candidate_timeout_s{1800};
  bool in_process{};
  Selection selection{};
  std::optional<Roofline> roofline{};  // times beyond it are faults (bench/plausible_times.h)
};

/// Makes the evaluator of worker i, on device i.
WorkerFactory worker_factory(WorkerSettings settings);

}  // namespace gemmtune
