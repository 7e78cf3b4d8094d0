// A worker's first line: which device it is for. All workers of one evaluator must be for the same device, because
// trials are kept under it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

/// The device of a hello. Throws Error{protocol} when the message is no hello of this protocol's version, or names a
/// device that cannot be.
DeviceInfo greeted_device(const nlohmann::json& hello);

/// Why a worker's device is not the one that the first worker named, or "". Its memory does not count: a virtual
/// machine's may change while it runs, and trials do not depend on it.
std::string why_other_device(const DeviceInfo& first, const DeviceInfo& found);

}  // namespace gemmtune
