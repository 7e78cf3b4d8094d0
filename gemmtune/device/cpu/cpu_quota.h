// How much CPU time the process may use, apart from which CPUs it may run on: the limit that containers set.
#pragma once

#include <cstdint>
#include <optional>

#include "gemmtune/device/cpu/system_tree.h"

namespace gemmtune {

/// The tightest cgroup quota over this process (its own group and those above, version 2; the mounted group, version
/// 1), in whole CPUs rounded up; nothing where there is no limit.
std::optional<std::int64_t> cpu_quota(const SystemTree& tree);

}  // namespace gemmtune
