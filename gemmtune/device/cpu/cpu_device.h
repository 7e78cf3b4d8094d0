// The CPU as a device: host memory, and launches that are finished when their calls return.
#pragma once

#include <memory>

#include "gemmtune/device/device.h"

namespace gemmtune {

std::unique_ptr<Device> make_cpu_device(DeviceInfo info);

}  // namespace gemmtune
