// What a host gets for a shard: its shapes, the program's arguments, and what is already known of these shapes.
#pragma once

#include <filesystem>
#include <string>

#include "gemmtune/fleet/run_folder.h"

namespace gemmtune {

/// Where a job finds the file that was sent as number `i`: it keeps its name, by which tables are known.
std::string name_on_host(std::size_t i, const std::filesystem::path& file);

/// Keeps copies of the files in the run's folder, for all shards.
void keep_files(const RunFolder& run, const std::vector<std::string>& files);

/// Makes the folder. The store in it has the trials of these shapes from the plan's store and from earlier tries.
/// Without a device, the program takes what it finds.
void make_shard_inputs(const RunFolder& run, const FleetPlan& plan, std::int64_t shard, const std::string& device,
                       const std::filesystem::path& folder);

/// The same for a calibration, which reuses nothing.
void make_calibration_inputs(const RunFolder& run, const FleetPlan& plan, const std::string& device,
                             const std::filesystem::path& folder);

}  // namespace gemmtune
