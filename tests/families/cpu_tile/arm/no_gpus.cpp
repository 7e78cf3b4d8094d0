// Stands in for the layers for GPUs, which these tests do not need.
#include "gemmtune/core/error.h"
#include "gemmtune/device/gpu/gpu_device.h"

namespace gemmtune {

std::vector<gpu::Vendor> gpu::vendors() { return {}; }

std::vector<DeviceInfo> list_gpus(const std::vector<gpu::Vendor>&) { return {}; }

std::unique_ptr<Device> make_gpu_device(const DeviceInfo& info, const std::vector<gpu::Vendor>&) {
  fail(ErrorCode::no_device, "there is no device {}", device_id(info));
}

}  // namespace gemmtune
