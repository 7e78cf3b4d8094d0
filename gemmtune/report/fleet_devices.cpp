#include "gemmtune/report/fleet_devices.h"

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

FleetDeviceRecord record_of(const nlohmann::json& value) {
  FleetDeviceRecord record{.device = visible(value.at("device").get<std::string>()),
                           .shards = value.at("shards"),
                           .shapes = value.at("shapes"),
                           .failures = value.at("failures"),
                           .busy_s = value.at("busy_s"),
                           .set_aside = visible(value.at("set_aside").get<std::string>())};
  for (const auto& entry : value.at("calibrations")) record.calibrations.push_back(entry.at("time_us"));
  return record;
}

}  // namespace

std::vector<FleetDeviceRecord> read_fleet_devices(const std::filesystem::path& path) {
  std::vector<FleetDeviceRecord> records;
  try {
    for (const auto& value : parse_json(read_file(path), path.string())) records.push_back(record_of(value));
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::input, "{}: expected the devices of a run over many machines", path.string());
  }
  return records;
}

}  // namespace gemmtune
