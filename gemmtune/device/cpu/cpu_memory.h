// How much memory the process may use: that of the machine, or the limit that a container sets.
#pragma once

#include <cstdint>

#include "gemmtune/device/cpu/system_tree.h"

namespace gemmtune {

/// The memory of the machine, or the tightest limit of the process's cgroups (version 1 or 2) if that is smaller; 0 if
/// nothing is known.
std::int64_t usable_memory_bytes(const SystemTree& tree);

/// How many processes of its own cgroup the kernel has killed for want of memory so far; 0 if it does not tell.
std::int64_t memory_kills(const SystemTree& tree);

}  // namespace gemmtune
