// A GPU as a device, over the names of vendor/.
#pragma once

#include <memory>
#include <vector>

#include "gemmtune/device/device.h"

namespace gemmtune {

/// The GPUs that the driver shows; none where there is no driver.
std::vector<DeviceInfo> list_gpus();

/// Throws Error{no_device} when the driver has gone.
std::unique_ptr<Device> make_gpu_device(const DeviceInfo& info);

}  // namespace gemmtune
