#include "gemmtune/cli/fleet/fleet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/clock.h"
#include "gemmtune/core/json.h"
#include "gemmtune/core/text.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

std::string uses_of(const HostProbe& probe) {
  std::vector<std::string> uses;
  for (const auto& gpu : probe.gpus) uses.push_back(gpu.use);
  const bool all_idle = std::ranges::all_of(uses, [](const auto& use) { return use == "idle"; });
  return or_dash(all_idle && !uses.empty() ? fmt::format("{} idle", uses.size()) : join(uses, "; "));
}

std::string devices_of(const HostProbe& probe) {
  if (probe.devices.empty()) return "-";
  const auto& first = probe.devices.front();
  return fmt::format("{} x {} ({})", probe.devices.size(), first.name, first.arch);
}

std::string drivers_of(const HostProbe& probe) {
  if (!probe.gpus.empty() && !probe.gpus.front().driver.empty()) return probe.gpus.front().driver;
  return probe.devices.empty() ? "-" : or_dash(probe.devices.front().driver);
}

std::string disk_of(const HostProbe& probe) {
  if (probe.disk_free_mb < 0) return "-";
  return probe.disk_free_mb < 10240 ? fmt::format("{} MB", probe.disk_free_mb)
                                    : fmt::format("{} GB", probe.disk_free_mb / 1024);
}

std::string version_of(const HostProbe& probe) {
  if (probe.version.empty()) return "-";
  return probe.bundle == "copied" ? probe.version + " (copied now)" : probe.version;
}

std::string calibration_of(const SlotState& slot) {
  if (slot.calibrations.empty()) return "-";
  const auto text = fmt::format("{:.4g}", slot.calibrations.back().time_us);
  return slot.calibrations.size() == 1 ? text : fmt::format("{} ({} times)", text, slot.calibrations.size());
}

std::string now_of(const SlotState& slot) {
  if (!slot.set_aside.empty()) return "set aside: " + visible_start(slot.set_aside, 160);
  if (slot.now.empty()) return "-";
  if (slot.now == "calibration") return slot.now;
  return fmt::format("shard {}, {} shapes, {}", slot.now, slot.now_shapes,
                     human_duration(seconds_now() - slot.now_since_s));
}

}  // namespace

std::string hosts_text(const std::vector<HostProbe>& probes) {
  std::vector<std::vector<std::string>> rows{
      {"host", "state", "devices", "use", "containers", "driver", "disk free", "version"}};
  for (const auto& probe : probes)
    rows.push_back({probe.host, probe.is_usable() ? "ready" : probe.why_not, devices_of(probe), uses_of(probe),
                    or_dash(join(probe.containers, "; ")), drivers_of(probe), disk_of(probe), version_of(probe)});
  return text_grid(rows, {});
}

std::string devices_text(const FleetPlan& plan, const std::vector<SlotState>& slots) {
  std::vector<std::vector<std::string>> rows{{"device", "shards", "shapes", "failed", "busy", "calibration us", "now"}};
  for (std::size_t i = 0; i < slots.size(); ++i)
    rows.push_back({plan.name_of(plan.slots[i]), std::to_string(slots[i].shards_done),
                    std::to_string(slots[i].shapes_done), std::to_string(slots[i].failures),
                    human_duration(slots[i].busy_s), calibration_of(slots[i]), now_of(slots[i])});
  constexpr auto right = Align::right;
  return text_grid(rows, {Align::left, right, right, right, right, right, Align::left});
}

std::string devices_json(const FleetPlan& plan, const std::vector<SlotState>& slots) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    auto calibrations = nlohmann::ordered_json::array();
    for (const auto& entry : slots[i].calibrations)
      calibrations.push_back({{"at_s", entry.at_s}, {"time_us", entry.time_us}});
    list.push_back({{"device", plan.name_of(plan.slots[i])},
                    {"shards", slots[i].shards_done},
                    {"shapes", slots[i].shapes_done},
                    {"failures", slots[i].failures},
                    {"busy_s", slots[i].busy_s},
                    {"set_aside", slots[i].set_aside},
                    {"calibrations", std::move(calibrations)}});
  }
  return json_text(list) + '\n';
}

std::string fleet_line(const FleetPlan& plan, const FleetView& view) {
  std::int64_t shapes = 0;
  std::int64_t failures = 0;
  std::int64_t aside = 0;
  for (const auto& slot : view.slots) {
    shapes += slot.shapes_done + (slot.now.empty() ? 0 : slot.now_shapes);
    failures += slot.failures;
    aside += slot.set_aside.empty() ? 0 : 1;
  }
  auto line = fmt::format("{} of {} shards, {} of {} shapes", view.finished, view.shards, shapes, plan.shapes);
  if (failures > 0) line += fmt::format(", {} failures of hosts", failures);
  if (aside > 0) line += fmt::format(", {} of {} devices set aside", aside, view.slots.size());
  line += fmt::format(", {} elapsed", human_duration(view.elapsed_s));
  if (shapes > 0 && shapes < plan.shapes)
    line += fmt::format(", {} left", human_duration(view.elapsed_s * static_cast<double>(plan.shapes - shapes) /
                                                    static_cast<double>(shapes)));
  return line;
}

}  // namespace gemmtune
