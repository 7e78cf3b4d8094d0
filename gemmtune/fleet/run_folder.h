// The folder on the head in which a run over many machines keeps everything: the plan, the shards and what came back,
// the state of each device. The same command finds it again and goes on there.
//
//   plan.json          fleet/fleet_plan.h
//   attempt.sh         what the engine runs for each shard
//   shards/17/         shapes.csv, attempts.json; back/: what came back and counts; try-1/: what a failed try left
//   slots/3.json       fleet/slot_state.h
//   finished/17        there for as long as the shard's results count
//   stop               asks all processes of the run to stop
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "gemmtune/fleet/attempt_log.h"
#include "gemmtune/fleet/fleet_plan.h"
#include "gemmtune/fleet/slot_state.h"
#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path plan() const { return path_ / "plan.json"; }
  std::filesystem::path bundles() const { return path_ / "bundles"; }
  std::filesystem::path attempt_script() const { return path_ / "attempt.sh"; }
  std::filesystem::path calibration() const { return path_ / "calibration.csv"; }
  std::filesystem::path shard(std::int64_t number) const { return path_ / "shards" / std::to_string(number); }
  std::filesystem::path shapes_of(std::int64_t number) const { return shard(number) / "shapes.csv"; }
  std::filesystem::path attempts_of(std::int64_t number) const { return shard(number) / "attempts.json"; }
  std::filesystem::path back_of(std::int64_t number) const { return shard(number) / "back"; }
  std::filesystem::path try_of(std::int64_t number, std::size_t count) const {
    return shard(number) / ("try-" + std::to_string(count));
  }
  std::filesystem::path slot(std::size_t number) const { return path_ / "slots" / (std::to_string(number) + ".json"); }
  std::filesystem::path slot_lock(std::size_t number) const {
    return path_ / "slots" / (std::to_string(number) + ".lock");
  }

  /// Makes the folder for a new plan. What an earlier plan left there goes.
  void begin(const FleetPlan& plan, const std::vector<std::vector<Shape>>& shards) const;

  /// Whether a plan is there and not done yet, for this identity. What a killed process began is ended first: a shard
  /// is finished if and only if its record says so.
  bool has_unfinished(const std::string& identity) const;

  std::set<std::int64_t> finished() const;
  std::vector<std::int64_t> unfinished(const FleetPlan& plan) const;
  void note_finished(std::int64_t shard) const;

  /// What a process took of a shard if it was killed before it wrote that down; "" if there is nothing.
  std::filesystem::path taken_without_a_word(std::int64_t shard, const AttemptLog& log) const;

  /// Its results count no longer: it is to be done again, and nothing of it is reused.
  void doubt(std::int64_t shard) const;

  bool is_stopping() const;
  void ask_to_stop() const;
  void forget_stop() const;

 private:
  void mend(const FleetPlan& plan) const;
  void forget_results(std::int64_t shard) const;

  std::filesystem::path path_;
};

/// The shapes in groups, by the estimated cost of tuning them: the costly ones first, in shards of at most `target_s`
/// that become smaller, so that a slow device takes fewer and all end at about the same time.
std::vector<std::vector<Shape>> make_shards(const std::vector<Shape>& shapes, std::size_t devices, double target_s);

/// A folder that is there and empty.
void make_empty_folder(const std::filesystem::path& path);

}  // namespace gemmtune
