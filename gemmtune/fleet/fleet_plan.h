// What a run over many machines consists of. The head writes it into the run's folder; the processes that run the
// shards read it there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/fleet/calibration.h"
#include "gemmtune/fleet/host_link.h"
#include "gemmtune/fleet/hosts.h"

namespace gemmtune {

/// One device of one host: runs one shard at a time.
struct Slot {
  std::size_t host{};  // in FleetPlan::hosts
  std::string device{};
  std::string arch{};
  std::int64_t cu_num{};

  auto operator<=>(const Slot&) const = default;
};

struct FleetPlan {
  std::string run{};       // the run's id
  std::string identity{};  // of what is tuned and how: a run with another one is another run
  std::string bundle{};
  std::string files{};  // the bundle of what the user ships; "": nothing
  std::string container_template{};
  std::vector<Host> hosts{};
  std::vector<Slot> slots{};
  std::vector<std::string> arguments{};              // of the program on hosts, without device and budget
  std::vector<std::string> calibration_arguments{};  // likewise; empty: no calibration
  std::string store{};                               // whose trials need not be repeated; "": none
  std::int64_t shards{};
  std::int64_t shapes{};
  std::int64_t tries{3};  // of a shard
  std::int64_t limit_s{};
  double lost_s{60};    // a host that is silent for this long is lost
  double deadline_s{};  // since 1970; no shard begins after it. 0: none
  CalibrationRule calibration{};

  bool is_out_of_time() const;  // the deadline is past
  std::string name_of(const Slot& slot) const { return hosts[slot.host].name + " " + slot.device; }
  AgentSettings agent_settings() const;
};

/// Throws Error{input} for a file that holds no plan.
FleetPlan read_plan(const std::filesystem::path& path);
void write_plan(const std::filesystem::path& path, const FleetPlan& plan);

/// Seconds since 1970.
double seconds_now();

}  // namespace gemmtune
