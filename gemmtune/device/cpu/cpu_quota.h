// How much CPU time the process may use: the limit that containers set. It does not depend on which CPUs are allowed.
#pragma once

#include <cstdint>
#include <optional>

#include "gemmtune/device/cpu/system_tree.h"

namespace gemmtune {

/// The tightest cgroup quota of this process, in whole CPUs rounded up; empty if there is no limit. Its own
/// group and all groups above it count.
std::optional<std::int64_t> cpu_quota(const SystemTree& tree);

}  // namespace gemmtune
