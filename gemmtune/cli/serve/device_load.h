// How busy a device is with other work.
#pragma once

#include <memory>
#include <optional>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

class DeviceLoad {
 public:
  virtual ~DeviceLoad() = default;

  /// The share of the time since the last call (of a GPU: of about the last second) in which the device was busy, from
  /// 0 to 1. Empty if the machine does not tell, and in the first call for a CPU.
  virtual std::optional<double> share() = 0;
};

std::unique_ptr<DeviceLoad> load_of(const DeviceInfo& device);

}  // namespace gemmtune
