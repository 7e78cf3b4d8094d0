// Hosts, devices and progress of a fleet, in words.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/fleet/fleet_run.h"
#include "gemmtune/fleet/probe.h"

namespace gemmtune {

/// A row for each host: whether it can be used or why not, its devices, who uses them, its disk and our version there.
std::string hosts_text(const std::vector<HostProbe>& probes);

/// A row for each device: what it does now, what it has done, its calibration, and why it is set aside.
std::string devices_text(const FleetPlan& plan, const std::vector<SlotState>& slots);

/// The same for programs: a list of objects with device, shards, shapes, failures, busy_s, set_aside and calibrations
/// (at_s, time_us).
std::string devices_json(const FleetPlan& plan, const std::vector<SlotState>& slots);

/// "12 of 80 shards, 340 shapes done, 1 device set aside, 4 min elapsed, 20 min left".
std::string fleet_line(const FleetPlan& plan, const FleetView& view);

}  // namespace gemmtune
