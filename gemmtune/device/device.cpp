#include "gemmtune/device/device.h"

#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/cpu/cpu_device.h"
#include "gemmtune/device/cpu/cpu_info.h"
#include "gemmtune/device/gpu/gpu_device.h"

namespace gemmtune {
namespace {

/// Adds the index that an id leaves out: "cuda" means "cuda:0".
std::string with_index(std::string_view id) {
  const std::string lower = to_lower(trim(id));
  return lower.find(':') == std::string::npos ? lower + ":0" : lower;
}

std::string known_ids(std::span<const DeviceInfo> devices) {
  std::vector<std::string> ids;
  for (const DeviceInfo& device : devices) ids.push_back(device_id(device));
  return join(ids, ", ");
}

std::unique_ptr<Device> open(const DeviceInfo& info) {
  switch (info.kind) {
    case DeviceKind::cpu:
      return make_cpu_device(info);
    case DeviceKind::cuda:
    case DeviceKind::hip:
      return make_gpu_device(info);
  }
  fail(ErrorCode::internal, "device {} is listed but cannot be opened", device_id(info));
}

}  // namespace

std::string why_not_cold_instructions(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "a CPU's kernels find their instructions in its caches: nothing here empties those";
    case DeviceKind::hip:
      return "there is no code yet that empties the instruction caches of AMD's GPUs";
    case DeviceKind::cuda:
      break;
  }
  return "";
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices{read_cpu_info(SystemTree{})};
  for (auto& gpu : list_gpus()) devices.push_back(std::move(gpu));
  return devices;
}

DeviceInfo find_device(std::string_view id) { return find_device(id, list_devices()); }

DeviceInfo find_device(std::string_view id, std::span<const DeviceInfo> known) {
  const std::string wanted = with_index(id);
  for (const DeviceInfo& device : known) {
    if (device_id(device) == wanted) return device;
  }
  fail(ErrorCode::no_device, "there is no device \"{}\"; there is: {}", id, known_ids(known));
}

std::unique_ptr<Device> open_device(std::string_view id) { return open(find_device(id)); }

}  // namespace gemmtune
