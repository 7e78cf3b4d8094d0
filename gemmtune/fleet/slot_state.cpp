#include "gemmtune/fleet/slot_state.h"

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"

namespace gemmtune {
namespace {

using nlohmann::json;

SlotState state_of(const json& value) {
  SlotState state{.set_aside = value.at("set_aside"),
                  .since_calibration = value.at("since_calibration"),
                  .shards_done = value.at("shards_done"),
                  .shapes_done = value.at("shapes_done"),
                  .failures = value.at("failures"),
                  .failures_in_row = value.at("failures_in_row"),
                  .busy_s = value.at("busy_s"),
                  .now = value.at("now"),
                  .now_since_s = value.at("now_since_s"),
                  .now_shapes = value.at("now_shapes"),
                  .now_of = value.at("now_of")};
  for (const auto& entry : value.at("calibrations"))
    state.calibrations.push_back({.at_s = entry.at("at_s"), .time_us = entry.at("time_us")});
  return state;
}

}  // namespace

SlotState read_slot(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  try {
    return state_of(parse_json(read_file(path), path.string()));
  } catch (const json::exception&) {
    fail(ErrorCode::input, "{} is not the state of a device", path.string());
  }
}

void write_slot(const std::filesystem::path& path, const SlotState& state) {
  json value{{"set_aside", state.set_aside},     {"since_calibration", state.since_calibration},
             {"shards_done", state.shards_done}, {"shapes_done", state.shapes_done},
             {"failures", state.failures},       {"failures_in_row", state.failures_in_row},
             {"busy_s", state.busy_s},           {"now", state.now},
             {"now_since_s", state.now_since_s}, {"now_shapes", state.now_shapes},
             {"now_of", state.now_of},           {"calibrations", json::array()}};
  for (const auto& entry : state.calibrations)
    value["calibrations"].push_back({{"at_s", entry.at_s}, {"time_us", entry.time_us}});
  write_file_atomically(path, json_text(value) + '\n');
}

}  // namespace gemmtune
