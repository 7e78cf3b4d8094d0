// One run over many machines, whatever its work is: tuning or benchmarks. Makes the hosts ready, cuts the shapes into
// shards or finds those of an earlier run, and runs them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/cli/fleet/fleet_options.h"
#include "gemmtune/fleet/attempt_log.h"
#include "gemmtune/fleet/device_list.h"
#include "gemmtune/fleet/fleet_plan.h"
#include "gemmtune/fleet/fleet_run.h"
#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// Takes what comes back.
class FleetTaker {
 public:
  virtual ~FleetTaker() = default;

  /// The shapes that are to be done on such devices. Called once the hosts are known.
  virtual std::vector<Shape> shapes_for(const FleetDevice& device) = 0;

  virtual void begin(const FleetPlan& plan) = 0;
  virtual void take(const std::filesystem::path& back) = 0;

  /// The folder of a try whose shard is not done: what is finished in it, and its measurements.
  virtual void take_part(const std::filesystem::path& back) = 0;

  /// Measurements of a run that was to give something else.
  virtual void take_trials(const std::filesystem::path& store) = 0;
};

struct FleetWork {
  std::filesystem::path folder{};                    // of the run
  std::vector<std::string> arguments{};              // of the program on the hosts
  std::vector<std::string> calibration_arguments{};  // likewise
  std::string what{};                                // everything that decides what is measured, as text
  std::vector<std::string> files{};                  // sent along with each shard (name_on_host())
  std::string store{};                               // whose trials are known already
  std::optional<double> budget_s{};
  bool has_data_on_stdout{};  // nothing else belongs there
};

/// The file in a run's folder that says how each device did, for `gemmtune analyze` (report/fleet_devices.h).
std::filesystem::path devices_file(const std::filesystem::path& run_folder);

/// Shows what each device did.
void show_devices(const FleetWork& work, const FleetPlan& plan, const std::vector<SlotState>& slots);

struct FleetResult {
  FleetOutcome outcome{};
  std::optional<int> signal{};
};

/// Prints the hosts, the shards and every command, and does nothing. For --dry_run.
void show_fleet_plan(const FleetFlags& flags, const FleetWork& work, const std::vector<Shape>& shapes);

/// Throws Error if no host can be used, or if another process runs the same run.
FleetResult run_fleet_session(const FleetFlags& flags, const FleetWork& work, FleetTaker& taker);

}  // namespace gemmtune
