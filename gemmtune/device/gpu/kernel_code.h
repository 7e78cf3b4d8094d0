// Machine code of kernels, and whose GPUs it is for.
#pragma once

#include <string>

#include "gemmtune/device/device_info.h"

namespace gemmtune {

struct KernelCode {
  DeviceKind kind{DeviceKind::cuda};
  std::string bytes{};

  auto operator<=>(const KernelCode&) const = default;
};

}  // namespace gemmtune
