// What a host gets for a shard: its shapes, the program's arguments, and what is already known of these shapes.
#pragma once

#include <filesystem>
#include <string>

#include "gemmtune/fleet/run_folder.h"

namespace gemmtune {

/// Makes the folder. The store in it has the trials of these shapes from the plan's store and from earlier tries.
/// Without a device, the program takes what it finds.
void make_shard_inputs(const RunFolder& run, const FleetPlan& plan, std::int64_t shard, const std::string& device,
                       const std::filesystem::path& folder);

/// The same for a calibration, which reuses nothing.
void make_calibration_inputs(const RunFolder& run, const FleetPlan& plan, const std::string& device,
                             const std::filesystem::path& folder);

}  // namespace gemmtune
