#include "gemmtune/dispatch/device_key.h"

#include <array>
#include <string>

#include "gemmtune/core/text.h"
#include "gemmtune/table/sheet/known_columns.h"

namespace gemmtune {
namespace {

struct Known {
  std::string_view gfx;
  Architecture architecture;
};

constexpr std::array<Known, 4> known{{{"gfx90a", Architecture::gfx90a},
                                      {"gfx942", Architecture::gfx942},
                                      {"gfx950", Architecture::gfx950},
                                      {"gfx1250", Architecture::gfx1250}}};

Architecture architecture_of(std::string_view gfx) {
  for (const auto& [name, architecture] : known)
    if (gfx == name) return architecture;
  if (gfx.starts_with("gfx9")) return Architecture::other_gfx9;
  if (gfx.starts_with("gfx")) return Architecture::other_gfx;
  return gfx.starts_with("sm") ? Architecture::cuda : Architecture::cpu;
}

}  // namespace

DeviceKey device_key(std::string_view gfx, std::int64_t cu_num) {
  gfx = without_features(gfx);
  return {.id = hash64(gfx) ^ id_of_count(cu_num), .cu_num = cu_num, .architecture = architecture_of(gfx)};
}

std::string_view gfx_of_cu_num(std::int64_t cu_num, std::string_view live_gfx) {
  if (const auto by_rule = gfx_of(std::to_string(cu_num)); !by_rule.empty()) return by_rule;
  return live_gfx.starts_with("gfx") ? without_features(live_gfx) : std::string_view("gfx942");
}

}  // namespace gemmtune
