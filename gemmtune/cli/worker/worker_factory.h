// Makes the evaluators of a tuning run, one for each device. Kernels run in another process of this program (`gemmtune
// worker`), or in this process, and beside it in the workers of other programs that the user asks for.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/bench/roofline.h"
#include "gemmtune/cli/worker/roster.h"
#include "gemmtune/tune/tuner.h"
#include "gemmtune/worker/named_worker.h"

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

  /// Applied to what a worker lists, before everything else: leaves out candidates, or makes another one the default.
  std::function<std::vector<Candidate>(const Problem&, std::vector<Candidate>)> adjust{};
};

struct WorkerSettings {
  std::vector<std::string> devices{};
  double candidate_timeout_s{1800};
  bool in_process{};
  Selection selection{};
  std::vector<NamedWorker> workers{};           // beside gemmtune's own
  std::map<std::string, std::string> absent{};  // families that nobody here offers, and why
  std::optional<Roofline> roofline{};           // times beyond it are faults (bench/plausible_times.h)
};

/// Candidates, each of which is to run in a worker process of its own, and their families.
struct Apart {
  const std::vector<std::string>& names;
  const std::vector<std::string>& families;
  const Roster& roster;
  std::string device{};
};

/// Workers that time these candidates in turns as they do those of different programs. For comparisons with timing in
/// one process.
std::unique_ptr<Evaluator> evaluators_apart(const Apart& apart);

/// Makes the evaluator of worker i, on device i.
WorkerFactory worker_factory(WorkerSettings settings);

}  // namespace gemmtune
