#include "gemmtune/fleet/device_list.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

bool is_meant(const FleetDevice& device, const std::string& name) {
  if (name == device.id || name + ":0" == device.id) return true;
  return device.kind != "cpu" && device.id.substr(device.id.find(':') + 1) == name;
}

}  // namespace

std::vector<FleetDevice> parse_device_list(const std::string& json, const std::string& source) {
  std::vector<FleetDevice> devices;
  try {
    for (const auto& entry : parse_json(json, source))
      devices.push_back({.id = visible(entry.at("id").get<std::string>()),
                         .kind = visible(entry.at("kind").get<std::string>()),
                         .name = visible(entry.at("name").get<std::string>()),
                         .arch = visible(entry.at("arch").get<std::string>()),
                         .driver = visible(entry.at("driver").get<std::string>()),
                         .cu_num = entry.at("cu_num").get<std::int64_t>()});
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::input, "{}: expected a list of devices", source);
  }
  return devices;
}

std::vector<FleetDevice> chosen_devices(const std::vector<FleetDevice>& all, const std::vector<std::string>& names) {
  std::vector<FleetDevice> chosen;
  for (const auto& name : names) {
    const auto device = std::ranges::find_if(all, [&](const auto& each) { return is_meant(each, name); });
    if (device == all.end()) fail(ErrorCode::no_device, "there is no device {}", name);
    chosen.push_back(*device);
  }
  if (!names.empty()) return chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen), [](const auto& device) { return device.kind != "cpu"; });
  return chosen.empty() ? all : chosen;
}

}  // namespace gemmtune
