// The axes and constraints that all spaces of the float kernels share.
#pragma once

#include <vector>

#include "gemmtune/device/device_info.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/space/space.h"

namespace gemmtune::cpu_tile {

/// The float instruction sets that run on the device and multiply this problem, best first; never empty.
std::vector<std::string> usable_isas(const Problem& problem, const DeviceInfo& device);

/// The axis "isa" with all labels, best first.
Axis isa_axis();

/// The constraints on instruction sets: the CPU must have the label's features, the types must suit it, and nothing
/// better may be available.
std::vector<Constraint> isa_constraints(const Problem& problem, const DeviceInfo& device);

/// The constraints on threads: a launch must not be cut into shares that are too small, nor get too few threads.
std::vector<Constraint> thread_constraints(const Problem& problem, const DeviceInfo& device);

}  // namespace gemmtune::cpu_tile
