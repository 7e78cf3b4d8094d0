// A run whose shards are the tasks of a Slurm array: their folders, and what became of them. Slurm decides which node
// runs which task; here it is decided whether its results count.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gemmtune/fleet/fleet_plan.h"
#include "gemmtune/fleet/run_folder.h"
#include "gemmtune/fleet/slurm.h"
#include "gemmtune/fleet/verdict.h"

namespace gemmtune {

/// One device of a node, as its tasks report it: "node7.0" is the first GPU of node7.
struct SlurmDevice {
  std::string name{};
  std::string node{};
  SlotState state{};
};

class SlurmRun {
 public:
  SlurmRun(RunFolder folder, FleetPlan plan) : folder_(std::move(folder)), plan_(std::move(plan)) {}

  /// Writes the agent and its settings.
  void place() const;

  /// Writes what the calibrations of nodes need, and reads what an earlier process knew of them.
  void begin();

  /// Makes the folders of the shards that are left, with what is already known of their shapes, and the list of tasks.
  /// Returns the name of the list.
  std::string write_tasks(const std::vector<std::int64_t>& shards) const;

  /// Takes what has ended: results that count are finished, others are pending again or, after so many tries, failed.
  /// Shards of nodes that measure far off are pending again.
  void gather();

  /// Ends the tries of shards whose tasks are gone. What they wrote last is waited for: a shared file system shows it
  /// late at times.
  void gather_remains(const std::vector<std::int64_t>& shards);

  const std::vector<SlurmDevice>& devices() const { return devices_; }
  std::vector<std::string> nodes_set_aside() const;
  std::int64_t shapes_done() const;

  /// Submits an array for these shards, and notes it before and after: whenever this process is killed, the next one
  /// finds the array (known_job).
  std::string submit(const SlurmChoice& choice, const std::vector<std::int64_t>& shards) const;

  /// The job of an earlier process of this run; "" if there is none.
  std::string known_job() const;

  std::filesystem::path work(std::int64_t shard) const { return folder_.path() / "work" / std::to_string(shard); }

 private:
  void look_at_nodes();
  void look_at_node(const std::filesystem::path& folder);
  void judge_nodes();
  void recall();
  void forget_older(SlotState& state) const;
  std::vector<std::int64_t> without_a_word(const std::vector<std::int64_t>& shards) const;
  void note_done(SlurmDevice& device, std::int64_t shard) const;
  void keep(const std::filesystem::path& from, const std::filesystem::path& to) const;
  void conclude(std::int64_t shard, const std::filesystem::path& from, const JobEnd& end);
  SlurmDevice& device_of(const std::filesystem::path& job_folder);
  SlurmDevice& device_named(const std::string& name, const std::string& node);

  RunFolder folder_;
  FleetPlan plan_;
  std::vector<SlurmDevice> devices_;
};

}  // namespace gemmtune
