#include "gemmtune/device/device_info.h"

#include <fmt/format.h>

#include <algorithm>

namespace gemmtune {

std::string_view kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::hip:
      return "hip";
  }
  return "device";
}

bool DeviceInfo::has(const std::string& feature) const { return std::ranges::count(features, feature) > 0; }

std::string device_id(const DeviceInfo& device) { return fmt::format("{}:{}", kind_name(device.kind), device.index); }

}  // namespace gemmtune
