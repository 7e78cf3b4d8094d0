// The axes and constraints that all spaces of the float kernels share.
#pragma once

#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune::cpu_tile {

/// The float instruction sets that run on the device and multiply this problem, best first; never empty.
std::vector<std::string> usable_isas(const Problem& problem, const DeviceInfo& device);

/// Axis "isa": all labels, best first.
Axis isa_axis();

/// That the CPU has the label's features, that the types fit it, and that nothing better is there.
std::vector<Constraint> isa_constraints(const Problem& problem, const DeviceInfo& device);

/// That a launch is neither cut into too small shares nor given too few threads.
std::vector<Constraint> thread_constraints(const Problem& problem, const DeviceInfo& device);

}  // namespace gemmtune::cpu_tile
