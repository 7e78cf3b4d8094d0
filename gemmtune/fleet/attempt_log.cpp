#include "gemmtune/fleet/attempt_log.h"

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"

namespace gemmtune {
namespace {

using nlohmann::json;

AttemptLog log_of(const json& value) {
  AttemptLog log{.state = static_cast<ShardState>(value.at("state").get<int>()),
                 .is_fresh = value.at("is_fresh"),
                 .host = value.at("host"),
                 .device = value.at("device"),
                 .starts = value.at("starts")};
  for (const auto& entry : value.at("tries"))
    log.tries.push_back({.host = entry.at("host"),
                         .device = entry.at("device"),
                         .begun_utc = entry.at("begun_utc"),
                         .seconds = entry.at("seconds"),
                         .verdict = entry.at("verdict"),
                         .why = entry.at("why"),
                         .store = entry.at("store")});
  return log;
}

}  // namespace

AttemptLog read_attempts(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  try {
    return log_of(parse_json(read_file(path), path.string()));
  } catch (const json::exception&) {
    fail(ErrorCode::input, "{} is not the record of a shard", path.string());
  }
}

void write_attempts(const std::filesystem::path& path, const AttemptLog& log) {
  json value{{"state", static_cast<int>(log.state)},
             {"is_fresh", log.is_fresh},
             {"host", log.host},
             {"device", log.device},
             {"starts", log.starts},
             {"tries", json::array()}};
  for (const auto& entry : log.tries)
    value["tries"].push_back({{"host", entry.host},
                              {"device", entry.device},
                              {"begun_utc", entry.begun_utc},
                              {"seconds", entry.seconds},
                              {"verdict", entry.verdict},
                              {"why", entry.why},
                              {"store", entry.store}});
  write_file_atomically(path, json_text(value) + '\n');
}

}  // namespace gemmtune
