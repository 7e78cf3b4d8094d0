// Where the kernel keeps the limits and the events of the cgroup of this process: what containers set.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "gemmtune/device/cpu/system_tree.h"

namespace gemmtune {

/// The folder of the process's own group (version 2), then those of the groups above it. Inside of a container the own
/// group may not be there, and the last one, the root of the mount, is the container's.
std::vector<std::filesystem::path> own_groups(const SystemTree& tree);

/// The same for a controller of version 1, as "memory".
std::vector<std::filesystem::path> own_groups_of_version_1(const SystemTree& tree, std::string_view controller);

}  // namespace gemmtune
