// A GPU as a device. The kind of the device decides which vendor's driver is used.
#pragma once

#include <memory>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/vendor.h"

namespace gemmtune {

/// The GPUs that the vendors' drivers report, NVIDIA's first. A driver that fails to list its GPUs contributes none.
std::vector<DeviceInfo> list_gpus(const std::vector<gpu::Vendor>& vendors = gpu::vendors());

/// Throws Error{no_device} if the driver is no longer there.
std::unique_ptr<Device> make_gpu_device(const DeviceInfo& info,
                                        const std::vector<gpu::Vendor>& vendors = gpu::vendors());

}  // namespace gemmtune
