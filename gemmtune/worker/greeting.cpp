#include "gemmtune/worker/greeting.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gemmtune/core/error.h"
#include "gemmtune/space/plausibility.h"
#include "gemmtune/worker/json_fields.h"
#include "gemmtune/worker/messages.h"
#include "gemmtune/worker/quote.h"

namespace gemmtune {

using nlohmann::json;

namespace {

constexpr std::int64_t most_units = 1'000'000;

void expect_within(std::string_view field, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    fail(ErrorCode::protocol, "hello.device.{}: expected {} to {}, found {}", field, least, most, value);
}

void expect_possible(const DeviceInfo& device) {
  expect_within("cu_num", device.cu_num, 1, most_units);
  expect_within("last_level_cache_bytes", device.last_level_cache_bytes, 0, most_bytes);
  expect_within("memory_bytes", device.memory_bytes, 0, most_bytes);
}

/// "gfx942" of "gfx942:sramecc+:xnack-".
std::string_view base_of(std::string_view arch) { return arch.substr(0, arch.find(':')); }

}  // namespace

Greeting greeting_from_json(const json& hello) {
  const JsonFields fields(hello, "hello");
  if (const std::string type = fields.text("type"); type != "hello")
    fail(ErrorCode::protocol, "expected 'hello', found {}", quote(hello.dump()));
  const std::int64_t version = fields.integer("protocol");
  if (version < oldest_protocol_version || version > protocol_version)
    fail(ErrorCode::protocol, "hello.protocol: expected {} or {}, found {}", oldest_protocol_version, protocol_version,
         version);
  Greeting greeting{.device = device_from_json(fields.member("device")),
                    .protocol = version,
                    .compiles_ahead = fields.has("compiles_ahead") && fields.flag("compiles_ahead")};
  expect_possible(greeting.device);
  return greeting;
}

std::string why_other_device(const DeviceInfo& first, const DeviceInfo& found) {
  const json known = to_json_value(first);
  const json greeted = to_json_value(found);
  for (const auto& [field, value] : known.items())
    if (field != "memory_bytes" && value != greeted.at(field))
      return fmt::format("hello.device.{}: found {}, the first worker named {}", field, quote(greeted.at(field).dump()),
                         quote(value.dump()));
  return "";
}

std::string why_not_beside(const DeviceInfo& device, const DeviceInfo& found) {
  const json known = to_json_value(device);
  const json greeted = to_json_value(found);
  const auto differs = [&](const char* field) {
    return fmt::format("hello.device.{}: found {}, expected {}", field, quote(greeted.at(field).dump()),
                       quote(known.at(field).dump()));
  };
  for (const char* field : {"kind", "index"})
    if (known.at(field) != greeted.at(field)) return differs(field);
  if (device.kind == DeviceKind::cpu) return "";
  if (device.cu_num != found.cu_num) return differs("cu_num");
  return base_of(device.arch) == base_of(found.arch) ? "" : differs("arch");
}

}  // namespace gemmtune
