// The devices of a run over many machines, as the run itself writes them down (devices.json in its folder): what each
// did, its calibrations, and why it was set aside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

struct FleetDeviceRecord {
  std::string device{};  // host and device: "node1 cuda:0"
  std::int64_t shards{};
  std::int64_t shapes{};
  std::int64_t failures{};
  double busy_s{};
  std::string set_aside{};             // why; "": it was used to the end
  std::vector<double> calibrations{};  // times in microseconds, in the order in which they were taken
};

/// Throws Error{input} for a file that is not of this kind.
std::vector<FleetDeviceRecord> read_fleet_devices(const std::filesystem::path& path);

}  // namespace gemmtune
