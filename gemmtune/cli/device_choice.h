// Which devices --device and --mp of `gemmtune tune` mean on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

/// From a comma list of "cpu", "cuda:1", "1" (the GPU of that index) and "gpu" (all of them), or "" for all GPUs, or
/// the CPU where there is none; the first `at_most` of them. Throws Error{no_device} for one that is not among `known`,
/// and Error{usage} for one named twice or for devices that would need different rows of a table.
std::vector<DeviceInfo> choose_devices(std::string_view list, std::optional<std::int64_t> at_most,
                                       std::span<const DeviceInfo> known);

}  // namespace gemmtune
