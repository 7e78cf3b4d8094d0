#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gemmtune/cli/command.h"
#include "gemmtune/cli/output.h"
#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/device/device.h"
#include "gemmtune/worker/messages.h"

namespace gemmtune {
namespace {

std::string mib(std::int64_t bytes) { return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / (1024.0 * 1024)); }
std::string gib(std::int64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

std::string as_json(const std::vector<DeviceInfo>& devices) {
  auto list = nlohmann::json::array();
  for (const auto& device : devices) {
    auto value = to_json_value(device);
    value["id"] = device_id(device);
    list.push_back(std::move(value));
  }
  return json_text(list);
}

std::string as_text(const std::vector<DeviceInfo>& devices) {
  std::vector<std::vector<std::string>> rows{
      {"device", "name", "arch", "cu_num", "last cache", "memory", "driver", "features"}};
  for (const auto& device : devices)
    rows.push_back({device_id(device), device.name, device.arch, std::to_string(device.cu_num),
                    mib(device.last_level_cache_bytes), gib(device.memory_bytes), device.driver,
                    join(device.features, " ")});
  return text_grid(rows, {});
}

class DevicesCommand final : public Command {
 public:
  void declare(Options& options) override { options.add_flag("--json", json_); }

  int run() override {
    const auto devices = list_devices();
    print_text("{}\n", json_ ? as_json(devices) : std::string(trim(as_text(devices))));
    return 0;
  }

 private:
  bool json_{};
};

}  // namespace

std::unique_ptr<Command> make_devices_command() { return std::make_unique<DevicesCommand>(); }

}  // namespace gemmtune
