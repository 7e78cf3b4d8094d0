// What is known of one device of a fleet: what runs there, how it went, and whether it is set aside. A file for each in
// the run's folder, written only by the process that holds the slot's lock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/fleet/calibration.h"

namespace gemmtune {

struct SlotState {
  std::string set_aside{};  // why it is not used any more; "": it is used
  std::vector<Calibration> calibrations{};
  std::vector<std::int64_t> since_calibration{};  // shards that were done after the latest good calibration
  std::int64_t shards_done{};
  std::int64_t shapes_done{};
  std::int64_t failures{};  // of shards
  std::int64_t failures_in_row{};
  double busy_s{};
  std::string now{};          // the shard that runs there, "calibration", or ""
  double now_since_s{};       // since 1970
  std::int64_t now_shapes{};  // of that shard, done
  std::int64_t now_of{};
};

/// A slot that was never used has no file.
SlotState read_slot(const std::filesystem::path& path);
void write_slot(const std::filesystem::path& path, const SlotState& state);

}  // namespace gemmtune
