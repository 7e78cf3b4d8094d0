// The options of `gemmtune tune` and `gemmtune bench` that spread the work over many machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/cli/options.h"
#include "gemmtune/fleet/hosts.h"

namespace gemmtune {

struct FleetFlags {
  std::string hosts{};  // a file; "": none
  bool slurm{};
  std::string partition{};
  std::vector<std::string> slurm_options{};
  std::string container{};
  std::string container_template{};
  std::vector<std::string> shipped{};
  bool dry_run{};
  std::string shard_time{"10m"};
  std::string shard_limit{"2h"};
  std::string lost_after{"1m"};
  std::string calibration_interval{"10m"};
  double calibration_pct{10};
  std::int64_t tries{3};

  bool is_used() const { return slurm || !hosts.empty(); }
};

void declare_fleet_flags(Options& options, FleetFlags& flags);

/// The hosts of the file, in the container that was asked for.
std::vector<Host> chosen_hosts(const FleetFlags& flags);

/// Seconds of an option's duration. Throws Error{usage}.
double duration_of(const std::string& option, const std::string& text);

/// The script of --container_template; "" without one.
std::string container_template_of(const FleetFlags& flags);

/// Throws Error{usage} for options that need --hosts or --slurm, and for both of these.
void insist_on_sound(const FleetFlags& flags);

}  // namespace gemmtune
