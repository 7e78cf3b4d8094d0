#include "gemmtune/fleet/prepare.h"

#include <fmt/format.h>

#include <algorithm>

#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::vector<Slot> slots_of(const std::vector<HostProbe>& probes) {
  std::vector<Slot> slots;
  for (std::size_t d = 0, found = 1; found > 0; ++d) {
    found = 0;
    for (std::size_t h = 0; h < probes.size(); ++h) {
      if (!probes[h].is_usable() || d >= probes[h].devices.size()) continue;
      const auto& device = probes[h].devices[d];
      slots.push_back({.host = h, .device = device.id, .arch = device.arch, .cu_num = device.cu_num});
      ++found;
    }
  }
  return slots;
}

void insist_on_one_kind(const std::vector<Slot>& slots, const std::vector<Host>& hosts) {
  for (const auto& slot : slots) {
    const auto& first = slots.front();
    if (slot.arch == first.arch && slot.cu_num == first.cu_num) continue;
    fail(
        ErrorCode::usage,
        "the hosts have different devices: {} with {} units on {}, {} with {} units on {}. Say in the hosts file which "
        "architecture is wanted (arch = \"{}\"), or which devices of a host (gpus)",
        first.arch, first.cu_num, hosts[first.host].name, slot.arch, slot.cu_num, hosts[slot.host].name, first.arch);
  }
}

}  // namespace

std::vector<HostProbe> probe_hosts(const std::vector<Host>& hosts, const AgentSettings& settings,
                                   const ProbePlan& plan) {
  std::vector<HostProbe> probes(hosts.size());
  side_by_side(hosts.size(), [&](std::size_t i) { probes[i] = probe_host({hosts[i], settings}, plan); });
  return probes;
}

PreparedHosts prepare_hosts(const std::vector<Host>& hosts, const AgentSettings& settings, const ProbePlan& plan) {
  PreparedHosts prepared{.probes = probe_hosts(hosts, settings, plan)};
  prepared.slots = slots_of(prepared.probes);
  if (prepared.slots.empty()) {
    std::vector<std::string> reasons;
    for (const auto& probe : prepared.probes) reasons.push_back(fmt::format("{}: {}", probe.host, probe.why_not));
    fail(ErrorCode::no_device, "no host can be used: {}", join(reasons, "; "));
  }
  insist_on_one_kind(prepared.slots, hosts);
  return prepared;
}

const FleetDevice& first_device(const PreparedHosts& prepared) {
  return prepared.probes.at(prepared.slots.front().host).devices.front();
}

}  // namespace gemmtune
