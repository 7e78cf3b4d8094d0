#include "gemmtune/device/cpu/cpu_info.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <map>

#include "gemmtune/core/text.h"
#include "gemmtune/device/cpu/arm_features.h"
#include "gemmtune/device/cpu/cpu_memory.h"
#include "gemmtune/device/cpu/cpu_quota.h"

namespace gemmtune {
namespace {

constexpr std::array arithmetic_flags{
    // x86
    "sse4_1", "avx", "fma", "f16c", "avx2", "avx_vnni", "avx_vnni_int8", "avx512f", "avx512dq", "avx512bw", "avx512vl",
    "avx512_vnni", "avx512_bf16", "avx512_fp16", "avx512_vbmi", "avx512vbmi", "avx512_vbmi2", "amx_tile", "amx_int8",
    "amx_bf16", "amx_fp16",
    // Arm
    "asimd", "asimdhp", "asimddp", "asimdfhm", "sve", "sve2", "bf16", "i8mm", "svebf16", "svei8mm", "sme"};

struct Level {
  std::string_view name;
  std::vector<std::string> needs;
};

/// The levels of such a machine, highest first.
std::vector<Level> levels_of(std::string_view machine) {
  if (machine == "x86_64") {
    return {{"amx", {"amx_tile", "amx_int8", "amx_bf16", "avx512_bf16"}},
            {"avx512_bf16", {"avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16"}},
            {"avx512_vnni", {"avx512f", "avx512bw", "avx512vl", "avx512_vnni"}},
            {"avx512", {"avx512f", "avx512bw", "avx512vl"}},
            {"avx_vnni", {"avx2", "fma", "f16c", "avx_vnni"}},
            {"avx2", {"avx2", "fma", "f16c"}}};
  }
  if (machine == "aarch64") {
    return {{"sve2", {"sve2"}}, {"sve", {"sve"}}, {"i8mm", {"i8mm"}}, {"dotprod", {"asimddp"}}};
  }
  return {};
}

bool has_all(const std::vector<std::string>& features, const std::vector<std::string>& needed) {
  return std::ranges::all_of(needed, [&](const std::string& flag) { return std::ranges::count(features, flag) > 0; });
}

std::string cpu_name(std::string_view cpuinfo, std::string_view machine) {
  if (auto model = field(cpuinfo, "model name")) return *model;
  const auto maker = field(cpuinfo, "CPU implementer");
  const auto part = field(cpuinfo, "CPU part");
  if (maker && part) return fmt::format("{} implementer {} part {}", machine, *maker, *part);
  return std::string(machine);
}

struct Cache {
  std::int64_t level{};
  std::int64_t bytes{};
  std::string shared_by{};
};

/// The last-level cache of this CPU.
Cache last_cache(const SystemTree& tree, int cpu) {
  Cache last;
  for (int index = 0;; ++index) {
    const auto folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}", cpu, index);
    const auto level = tree.number(folder + "/level");
    const auto size = tree.line(folder + "/size");
    if (!level || !size) return last;
    if (*level <= last.level) continue;
    last = {*level, parse_size(*size).value_or(0), tree.line(folder + "/shared_cpu_list").value_or("")};
  }
}

/// The "cache size" of /proc/cpuinfo ("512 KB"), a cache of the first CPU. Better than nothing if sysfs is hidden.
std::int64_t cache_of_cpuinfo(std::string_view cpuinfo) {
  const auto text = field(cpuinfo, "cache size");
  const auto kilobytes = text ? parse_int(split(*text, ' ').front()) : std::nullopt;
  return kilobytes.value_or(0) * 1024;
}

std::int64_t usable_cpus(const SystemTree& tree, const std::vector<int>& cpus) {
  const auto allowed = static_cast<std::int64_t>(cpus.size());
  return std::min(allowed, cpu_quota(tree).value_or(allowed));
}

/// What the system lets this process use.
std::vector<std::string> usable_features(const SystemTree& tree, std::string_view machine, std::string_view cpuinfo) {
  const auto auxv = machine == "aarch64" ? tree.text("/proc/self/auxv") : std::nullopt;
  return auxv && !auxv->empty() ? arm_features(*auxv) : arithmetic_features(cpuinfo);
}

utsname uname_of_kernel() {
  utsname names{};
  uname(&names);
  return names;
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);  // allowed_cpus() finds none on machines too large for cpu_set_t
  return cpus;
}

std::vector<std::string> arithmetic_features(std::string_view cpuinfo) {
  const std::string listed = field(cpuinfo, "flags").value_or(field(cpuinfo, "Features").value_or(""));
  std::vector<std::string> features;
  for (const std::string_view flag : split(listed, ' ')) {
    if (std::ranges::count(arithmetic_flags, flag) > 0) features.emplace_back(flag);
  }
  return features;
}

std::string cpu_arch(std::string_view machine, const std::vector<std::string>& features) {
  const std::string base = machine == "x86_64" ? "x86-64" : std::string(machine);
  for (const Level& level : levels_of(machine)) {
    if (has_all(features, level.needs)) return fmt::format("{}-{}", base, level.name);
  }
  return base;
}

std::int64_t last_level_cache_bytes(const SystemTree& tree, const std::vector<int>& cpus) {
  std::map<std::string, std::int64_t> distinct;
  for (const int cpu : cpus) {
    const Cache cache = last_cache(tree, cpu);
    if (cache.bytes > 0) distinct[cache.shared_by] = cache.bytes;
  }
  std::int64_t bytes = 0;
  for (const auto& [shared_by, size] : distinct) bytes += size;
  return bytes;
}

DeviceInfo read_cpu_info(const SystemTree& tree) {
  const utsname kernel = uname_of_kernel();
  const std::string cpuinfo = tree.text("/proc/cpuinfo").value_or("");
  const std::vector<int> cpus = allowed_cpus();
  DeviceInfo info;
  info.name = cpu_name(cpuinfo, kernel.machine);
  info.features = usable_features(tree, kernel.machine, cpuinfo);
  info.arch = cpu_arch(kernel.machine, info.features);
  info.cu_num = usable_cpus(tree, cpus);
  info.last_level_cache_bytes = last_level_cache_bytes(tree, cpus);
  if (info.last_level_cache_bytes == 0) info.last_level_cache_bytes = cache_of_cpuinfo(cpuinfo);
  info.memory_bytes = usable_memory_bytes(tree);
  info.driver = fmt::format("{} {}", kernel.sysname, kernel.release);
  return info;
}

}  // namespace gemmtune
