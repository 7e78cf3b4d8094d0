// What this CPU must have for each of our instruction-set labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/device_info.h"

namespace gemmtune::cpu_tile {

/// The features of /proc/cpuinfo that kernels under a label use: "avx2" needs avx2, fma and f16c. Throws
/// Error{internal} for an unknown label.
const std::vector<std::string>& features_of_isa(std::string_view label);

/// "the CPU has no avx512_bf16", or "" when the device can run this label. Labels other than "portable" are never
/// runnable in a build for another architecture than x86-64.
std::string why_not_isa(std::string_view label, const DeviceInfo& device);

/// Those of `labels` that the device can run, in the order given.
std::vector<std::string> runnable_isas(const std::vector<std::string>& labels, const DeviceInfo& device);

/// Asks the system to allow AMX tiles in this process; false if it refuses. Cheap after the first call.
bool allow_amx_tiles();

}  // namespace gemmtune::cpu_tile
