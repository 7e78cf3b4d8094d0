// What the kernel reports about this machine's CPU. What a library makes of the CPU is known to the families.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/cpu/system_tree.h"
#include "gemmtune/device/device_info.h"

namespace gemmtune {

/// The CPUs that this process may be scheduled on. Each hyper-thread counts as one.
std::vector<int> allowed_cpus();

/// The instruction sets listed in /proc/cpuinfo that matter to arithmetic, in its spelling.
std::vector<std::string> arithmetic_features(std::string_view cpuinfo);

/// The machine and the highest level whose features it has all: "x86-64-avx2", "x86-64-avx512_vnni", "aarch64-sve".
std::string cpu_arch(std::string_view machine, const std::vector<std::string>& features);

/// The total size of all last-level caches that these CPUs use.
std::int64_t last_level_cache_bytes(const SystemTree& tree, const std::vector<int>& cpus);

DeviceInfo read_cpu_info(const SystemTree& tree);

}  // namespace gemmtune
