// Makes hosts ready for a run: probes them side by side, brings them the bundle, and lists the devices that can be
// used.
#pragma once

#include <vector>

#include "gemmtune/fleet/fleet_plan.h"
#include "gemmtune/fleet/probe.h"

namespace gemmtune {

struct PreparedHosts {
  std::vector<HostProbe> probes{};  // one for each host, in their order
  std::vector<Slot> slots{};        // device by device over all hosts, so that the first shards spread over the hosts
};

std::vector<HostProbe> probe_hosts(const std::vector<Host>& hosts, const AgentSettings& settings,
                                   const ProbePlan& plan);

/// Throws Error: no_device if no host can be used, and it says why for each; usage if the devices differ in what a
/// table tells apart, because their times would be mixed.
PreparedHosts prepare_hosts(const std::vector<Host>& hosts, const AgentSettings& settings, const ProbePlan& plan);

/// The first device of the prepared ones.
const FleetDevice& first_device(const PreparedHosts& prepared);

}  // namespace gemmtune
