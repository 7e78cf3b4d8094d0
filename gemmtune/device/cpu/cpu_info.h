// What the kernel tells of this machine's CPU. Not: what a library makes of it (families know that).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/device/cpu/system_tree.h"
#include "gemmtune/device/device_info.h"

namespace gemmtune {

/// CPUs that this process may be scheduled on; hyper-threads count singly.
std::vector<int> allowed_cpus();

/// The instruction sets of /proc/cpuinfo that matter to arithmetic, in its spelling.
std::vector<std::string> arithmetic_features(std::string_view cpuinfo);

/// "x86-64-avx2", "x86-64-avx512_vnni", "aarch64-sve": the machine and the highest level it has as a whole.
std::string cpu_arch(std::string_view machine, const std::vector<std::string>& features);

/// Bytes of all last-level caches that these CPUs share in.
std::int64_t last_level_cache_bytes(const SystemTree& tree, const std::vector<int>& cpus);

DeviceInfo read_cpu_info(const SystemTree& tree);

}  // namespace gemmtune
