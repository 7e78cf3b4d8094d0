#include "gemmtune/cli/device_choice.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "gemmtune/cli/comma_list.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"

namespace gemmtune {
namespace {

using Devices = std::vector<DeviceInfo>;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Devices gpus_of(std::span<const DeviceInfo> known) {
  Devices gpus;
  std::copy_if(known.begin(), known.end(), std::back_inserter(gpus),
               [](const DeviceInfo& device) { return device.kind != DeviceKind::cpu; });
  return gpus;
}

Devices named(std::string_view name, std::span<const DeviceInfo> known) {
  const auto gpus = gpus_of(known);
  if (to_lower(name) == "gpu") {
    if (gpus.empty()) fail(ErrorCode::no_device, "--device: found 'gpu', but there is no GPU that this build can use");
    return gpus;
  }
  if (!is_number(name)) return {find_device(name, known)};
  for (const auto& gpu : gpus)
    if (std::to_string(gpu.index) == name) return {gpu};
  fail(ErrorCode::no_device, "--device: found '{}', but of {} GPUs none has that number", name, gpus.size());
}

void insist_on_one_kind(const Devices& devices) {
  for (const auto& device : devices) {
    const auto& first = devices.front();
    if (std::count_if(devices.begin(), devices.end(),
                      [&](const DeviceInfo& other) { return device_id(other) == device_id(device); }) > 1)
      fail(ErrorCode::usage, "--device: {} is named twice", device_id(device));
    if (device.arch != first.arch || device.cu_num != first.cu_num)
      fail(
          ErrorCode::usage,
          "--device: {} ({}, cu_num {}) and {} ({}, cu_num {}) need different rows of a table: tune them one after the "
          "other",
          device_id(first), first.arch, first.cu_num, device_id(device), device.arch, device.cu_num);
  }
}

Devices all_gpus_or_cpu(std::span<const DeviceInfo> known) {
  auto gpus = gpus_of(known);
  return gpus.empty() ? Devices{find_device("cpu", known)} : gpus;
}

}  // namespace

std::vector<DeviceInfo> choose_devices(std::string_view list, std::optional<std::int64_t> at_most,
                                       std::span<const DeviceInfo> known) {
  Devices devices;
  for (const auto& name : comma_list(list)) {
    auto more = named(name, known);
    std::move(more.begin(), more.end(), std::back_inserter(devices));
  }
  if (devices.empty() && !trim(list).empty())
    fail(ErrorCode::usage, "--device: found '{}', expected a device, as cpu or cuda:0", list);
  if (devices.empty()) devices = all_gpus_or_cpu(known);
  if (at_most && *at_most >= 1 && static_cast<std::size_t>(*at_most) < devices.size())
    devices.resize(static_cast<std::size_t>(*at_most));
  insist_on_one_kind(devices);
  return devices;
}

}  // namespace gemmtune
