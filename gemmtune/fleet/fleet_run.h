// The head's side of a run over many machines: starts the engine for the shards that are left, watches, hands over what
// comes back, and goes on until all shards are done or nothing more can be done.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/fleet/engine.h"
#include "gemmtune/fleet/run_folder.h"

namespace gemmtune {

/// The state of a run at one moment.
struct FleetView {
  std::int64_t shards{};
  std::int64_t finished{};
  double elapsed_s{};
  std::vector<SlotState> slots{};
};

class FleetObserver {
 public:
  virtual ~FleetObserver() = default;

  /// Results of a shard are in RunFolder::back_of(). May come again for a shard that had to be done again.
  virtual void shard_done(std::int64_t shard) = 0;

  /// No host could do it.
  virtual void shard_failed(std::int64_t shard, const AttemptLog& log) = 0;

  /// Several times a second.
  virtual void look(const FleetView& view) = 0;
};

struct FleetOutcome {
  std::vector<std::int64_t> unfinished{};
  std::vector<std::int64_t> failed{};
  bool was_stopped{};
  bool is_out_of_time{};  // the budget ended
};

struct FleetEngine {
  Engine engine{Engine::parallel};
  std::vector<std::string> attempt{};  // the command that runs one shard; the shard and the seat follow it
};

/// Returns once nothing runs any more. `stop` ends the shards on all hosts first.
FleetOutcome run_fleet(const RunFolder& folder, const FleetEngine& engine, FleetObserver& observer,
                       const std::atomic<bool>& stop);

/// Hands over what has come back since the last call. For each way to run shards.
class Harvest {
 public:
  Harvest(const RunFolder& folder, FleetObserver& observer) : folder_(folder), observer_(observer) {}

  void gather();
  const std::vector<std::int64_t>& failed() const { return failed_; }
  std::int64_t count() const { return static_cast<std::int64_t>(known_.size()); }

 private:
  bool hand_over(std::int64_t shard);

  const RunFolder& folder_;
  FleetObserver& observer_;
  std::set<std::int64_t> known_;
  std::vector<std::int64_t> failed_;
};

}  // namespace gemmtune
