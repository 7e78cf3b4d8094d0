// The device of a lookup, prepared once: what tables call gfx and cu_num.
#pragma once

#include <cstdint>
#include <string_view>

namespace gemmtune {

/// What the fallback rules (dispatch/fallback.h) distinguish.
enum class Architecture : std::uint8_t { gfx90a, gfx942, gfx950, other_gfx9, gfx1250, other_gfx, cuda, cpu };

struct DeviceKey {
  std::uint64_t id{};  // of gfx and cu_num together; an index refuses tables in which two devices have the same id
  std::int64_t cu_num{};
  Architecture architecture{Architecture::cpu};

  bool operator==(const DeviceKey&) const = default;
};

/// The part that the number of units has in DeviceKey::id.
constexpr std::uint64_t id_of_count(std::int64_t cu_num) noexcept {
  return static_cast<std::uint64_t>(cu_num) * 0x9E3779B97F4A7C15ULL;
}

/// ("gfx950", 256), ("sm90", 132), ("x86-64-avx2", 16). The features of "gfx942:sramecc+:xnack-" do not count.
DeviceKey device_key(std::string_view gfx, std::int64_t cu_num);

/// The key of rows that are for this gfx with any number of units: those of tables without a column cu_num.
constexpr DeviceKey with_any_count(DeviceKey device) noexcept {
  device.id ^= id_of_count(device.cu_num);
  return device;
}

/// The gfx of rows from tables without that column, by AITER's rule: 256 units are a gfx950, 80 and 304 a gfx942. For
/// other numbers, the device that the tables are read for if it is one of AMD's, else gfx942: gemmtune's own rows for
/// other devices always state their gfx.
std::string_view gfx_of_cu_num(std::int64_t cu_num, std::string_view live_gfx);

}  // namespace gemmtune
