// The CPU as a device: host memory, launches that are done when they return.
#pragma once

#include <memory>

#include "gemmtune/device/device.h"

namespace gemmtune {

std::unique_ptr<Device> make_cpu_device(DeviceInfo info);

}  // namespace gemmtune
