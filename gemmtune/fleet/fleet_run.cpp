#include "gemmtune/fleet/fleet_run.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <thread>

#include "gemmtune/core/clock.h"
#include "gemmtune/fleet/attempt.h"
#include "gemmtune/fleet/slot_lease.h"

namespace gemmtune {
namespace {

constexpr auto pause = std::chrono::milliseconds(300);

class Head {
 public:
  Head(const RunFolder& folder, const FleetEngine& engine, FleetObserver& observer, const std::atomic<bool>& stop)
      : folder_(folder),
        plan_(read_plan(folder.plan())),
        engine_(engine),
        observer_(observer),
        stop_(stop),
        harvest_(folder, observer) {}

  FleetOutcome run() {
    folder_.forget_stop();
    harvest_.gather();
    for (auto left = folder_.unfinished(plan_); !left.empty() && !stop_ && !plan_.is_out_of_time() && has_devices();) {
      run_round(left);
      judge_calibrations(folder_.path());
      harvest_.gather();
      const auto still_left = folder_.unfinished(plan_);
      if (still_left == left) break;
      left = still_left;
    }
    return {.unfinished = folder_.unfinished(plan_),
            .failed = harvest_.failed(),
            .was_stopped = stop_,
            .is_out_of_time = plan_.is_out_of_time()};
  }

 private:
  bool has_devices() const {
    const auto slots = read_slots(folder_, plan_.slots.size());
    return std::ranges::any_of(slots, [](const SlotState& slot) { return slot.set_aside.empty(); });
  }

  void run_round(const std::vector<std::int64_t>& left) {
    auto process =
        start_engine(engine_.engine,
                     {.folder = folder_.path(), .shards = left, .at_a_time = std::min(left.size(), plan_.slots.size())},
                     engine_.attempt);
    process.close_stdin();
    bool is_stopping = false;
    while (!process.wait(SteadyClock::now() + pause)) {
      harvest_.gather();
      look();
      if (!stop_ || is_stopping) continue;
      is_stopping = true;
      folder_.ask_to_stop();
      ::kill(process.pid(), SIGHUP);  // parallel starts no more jobs, and waits for those that run
    }
    harvest_.gather();
    look();
  }

  void look() {
    observer_.look({.shards = plan_.shards,
                    .finished = harvest_.count(),
                    .elapsed_s = seconds_since(start_),
                    .slots = read_slots(folder_, plan_.slots.size())});
  }

  const RunFolder& folder_;
  FleetPlan plan_;
  const FleetEngine& engine_;
  FleetObserver& observer_;
  const std::atomic<bool>& stop_;
  Harvest harvest_;
  SteadyClock::time_point start_{SteadyClock::now()};
};

}  // namespace

void Harvest::gather() {
  const auto finished = folder_.finished();
  std::erase_if(known_, [&](std::int64_t shard) { return !finished.contains(shard); });
  for (const auto shard : finished) {
    if (!known_.insert(shard).second) continue;
    const auto log = read_attempts(folder_.attempts_of(shard));
    if (log.state == ShardState::done && !hand_over(shard)) known_.erase(shard);
    if (log.state != ShardState::failed) continue;
    failed_.push_back(shard);
    observer_.shard_failed(shard, log);
  }
}

/// While it is handed over, another process may find that the shard's device measured far off, and remove it.
bool Harvest::hand_over(std::int64_t shard) {
  try {
    observer_.shard_done(shard);
    return true;
  } catch (const std::exception&) {
    if (read_attempts(folder_.attempts_of(shard)).state == ShardState::done) throw;
    return false;
  }
}

FleetOutcome run_fleet(const RunFolder& folder, const FleetEngine& engine, FleetObserver& observer,
                       const std::atomic<bool>& stop) {
  return Head(folder, engine, observer, stop).run();
}

}  // namespace gemmtune
