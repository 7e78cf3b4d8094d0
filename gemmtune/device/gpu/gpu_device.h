// A GPU as a device, whichever vendor's it is: the driver is chosen by the device's kind.
#pragma once

#include <memory>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {

/// The GPUs that the vendors' drivers show, NVIDIA's first. A driver that fails on the way to its list has none.
std::vector<DeviceInfo> list_gpus(const std::vector<gpu::Vendor>& vendors = gpu::vendors());

/// Throws Error{no_device} when the driver has gone.
std::unique_ptr<Device> make_gpu_device(const DeviceInfo& info,
                                        const std::vector<gpu::Vendor>& vendors = gpu::vendors());

}  // namespace gemmtune
