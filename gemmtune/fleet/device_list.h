// The devices of a host, from what its `gemmtune devices --json` says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gemmtune {

struct FleetDevice {
  std::string id{};  // "cuda:0"
  std::string kind{};
  std::string name{};
  std::string arch{};
  std::string driver{};
  std::int64_t cu_num{};

  bool operator==(const FleetDevice&) const = default;
};

/// Throws Error{input} for what is no such list.
std::vector<FleetDevice> parse_device_list(const std::string& json, const std::string& source);

/// Those that a host's owner named, as gemmtune's --device does: "cuda:0", "0" (the GPU of this number), "cpu". Without
/// names: all GPUs or, without a GPU, the CPU. Throws Error{no_device} for one that is not there.
std::vector<FleetDevice> chosen_devices(const std::vector<FleetDevice>& all, const std::vector<std::string>& names);

}  // namespace gemmtune
