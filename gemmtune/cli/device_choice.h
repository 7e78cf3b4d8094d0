// Which devices of this machine the options --device and --mp of `gemmtune tune` choose.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

/// The devices in a comma list of "cpu", "cuda:1", "1" (the GPU with that index) and "gpu" (all GPUs). "" means all
/// GPUs or, without a GPU, the CPU. At most the first `at_most` devices. Throws Error{no_device} for a device that is
/// not among `known`, and Error{usage} for a device that is named twice and for devices that would need different rows
/// of a table.
std::vector<DeviceInfo> choose_devices(std::string_view list, std::optional<std::int64_t> at_most,
                                       std::span<const DeviceInfo> known);

}  // namespace gemmtune
