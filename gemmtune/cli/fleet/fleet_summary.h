// What a tuning run on many machines tells at its end, in the words of a run on one machine (cli/tune/summary.h). It
// knows what came back in the shards' stores: how many candidates tie with a winner is not among that.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "gemmtune/cli/tune/summary.h"
#include "gemmtune/fleet/fleet_run.h"
#include "gemmtune/fleet/run_folder.h"
#include "gemmtune/table/tuned_row.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

struct FleetSummaryParts {
  const TuneInputs& inputs;
  const TrialStore& store;
  std::int64_t run{};  // in the store
  const DeviceInfo& device;
  std::map<Problem, TunedRow> tuned{};         // their rows
  std::set<Problem> done{};                    // they came to an end
  std::map<Problem, std::string> why_shard{};  // of shapes whose shard failed everywhere
  std::string why_not_reached{};               // of all others
  bool with_trials{};                          // which takes long for many shapes
};

/// One result for each shape that was to be tuned, in their order.
std::vector<ShapeResult> fleet_results(const FleetSummaryParts& parts);

/// The shapes of the shards that failed everywhere, each with what the last host said.
std::map<Problem, std::string> shapes_of_failed(const RunFolder& folder, const FleetOutcome& outcome);

/// What became of shards, a line each: those that failed, and those that are left and why. "" where all are done.
std::string shards_text(const FleetOutcome& outcome, const std::string& budget);

/// Why shapes were not reached.
std::string why_not_reached(const FleetOutcome& outcome, const std::string& budget);

}  // namespace gemmtune
