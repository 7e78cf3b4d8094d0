// A run whose shards are the tasks of a Slurm array: their folders, and what became of them. Slurm decides which node
// runs which task; here it is decided whether its results count.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gemmtune/fleet/fleet_plan.h"
#include "gemmtune/fleet/run_folder.h"
#include "gemmtune/fleet/verdict.h"

namespace gemmtune {

/// One device of a node, as its tasks report it.
struct SlurmDevice {
  std::string node{};
  SlotState state{};
};

class SlurmRun {
 public:
  SlurmRun(RunFolder folder, FleetPlan plan) : folder_(std::move(folder)), plan_(std::move(plan)) {}

  /// Writes the agent, its settings, and what the calibrations of nodes need.
  void place() const;

  /// Makes the folders of the shards that are left, with what is already known of their shapes, and the list of tasks.
  /// Returns the name of the list.
  std::string write_tasks(const std::vector<std::int64_t>& shards) const;

  /// Takes what has ended: results that count are finished, others are pending again or, after so many tries, failed.
  /// Shards of nodes that measure far off are pending again.
  void gather();

  /// Ends the tries of shards whose tasks are gone without a word.
  void gather_remains(const std::vector<std::int64_t>& shards);

  const std::vector<SlurmDevice>& devices() const { return devices_; }
  std::vector<std::string> nodes_set_aside() const;
  std::int64_t shapes_done() const;

  /// The job of an earlier process of this run; "" if there is none.
  std::string known_job() const;
  void note_job(const std::string& job) const;

  std::filesystem::path work(std::int64_t shard) const { return folder_.path() / "work" / std::to_string(shard); }

 private:
  void look_at_nodes();
  std::filesystem::path place_of(std::int64_t shard) const;
  void conclude(std::int64_t shard, const JobEnd& end);
  SlurmDevice& device_of(const std::string& node);

  RunFolder folder_;
  FleetPlan plan_;
  std::vector<SlurmDevice> devices_;
};

}  // namespace gemmtune
