// A worker's first line: which device it is for. All workers of one evaluator must be for the same device, because
// trials are kept under it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

struct Greeting {
  DeviceInfo device{};
  std::int64_t protocol{};  // 1 or 2
  bool compiles_ahead{};    // whether it takes the request `expect`

  bool operator==(const Greeting&) const = default;
};

/// Reads a hello. Throws Error{protocol} when the message is no hello of a version that is served, or names a device
/// that cannot be.
Greeting greeting_from_json(const nlohmann::json& hello);

/// Why a worker's device is not the one that the first worker named, or "". Its memory does not count: a virtual
/// machine's may change while it runs, and trials do not depend on it.
std::string why_other_device(const DeviceInfo& first, const DeviceInfo& found);

/// Why a worker of another command cannot serve this device, as gemmtune itself describes it, or "". Each program has
/// its own words for a device's name and libraries, and for a CPU's architecture; only the place of a device and the
/// size of a GPU must agree.
std::string why_not_beside(const DeviceInfo& device, const DeviceInfo& found);

}  // namespace gemmtune
