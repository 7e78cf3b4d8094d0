// The device of a lookup, prepared once: what tables call gfx and cu_num.
#pragma once

#include <cstdint>
#include <string_view>

namespace gemmtune {

/// The devices that the fallback rules (dispatch/fallback.h) distinguish.
enum class Architecture : std::uint8_t { gfx90a, gfx942, gfx950, gfx1250, other_gfx, cuda, cpu };

struct DeviceKey {
  std::uint64_t id{};  // of gfx and cu_num together; an index refuses tables in which two devices have the same id
  std::int64_t cu_num{};
  Architecture architecture{Architecture::cpu};

  bool operator==(const DeviceKey&) const = default;
};

/// The key of a device: ("gfx950", 256), ("sm90", 132) or ("x86-64-avx2", 16).
DeviceKey device_key(std::string_view gfx, std::int64_t cu_num);

/// The gfx of rows from tables without that column, by AITER's rule: 256 units are a gfx950, 80 and 304 a gfx942. For
/// other numbers, the device that the tables are read for; gfx942 if that is not known.
std::string_view gfx_of_cu_num(std::int64_t cu_num, std::string_view live_gfx);

}  // namespace gemmtune
