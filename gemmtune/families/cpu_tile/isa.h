// What this CPU needs for each of our instruction-set labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"

namespace gemmtune::cpu_tile {

/// The features, as in /proc/cpuinfo, that kernels with this label use: "avx2" needs avx2, fma and f16c. Throws
/// Error{internal} for an unknown label.
const std::vector<std::string>& features_of_isa(std::string_view label);

/// Why the device cannot run this label ("the CPU has no avx512_bf16"), or "". In builds for other architectures than
/// x86-64 and aarch64, only "portable" can run.
std::string why_not_isa(std::string_view label, const DeviceInfo& device);

/// Those of `labels` that the device can run, in the same order.
std::vector<std::string> runnable_isas(const std::vector<std::string>& labels, const DeviceInfo& device);

/// Asks the system to allow AMX tiles in this process. Returns false if it refuses. Cheap after the first call.
bool allow_amx_tiles();

}  // namespace gemmtune::cpu_tile
