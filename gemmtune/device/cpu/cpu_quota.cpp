#include "gemmtune/device/cpu/cpu_quota.h"

#include <algorithm>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

std::optional<std::int64_t> whole_cpus(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return (*quota + *period - 1) / *period;
}

/// Parses the quota "200000 100000" (µs of CPU time in each period of so many µs); "max 100000" means that there is
/// none.
std::optional<std::int64_t> parse_cpu_max(std::string_view text) {
  const auto pieces = split(trim(text), ' ');
  if (pieces.size() != 2) return std::nullopt;
  return whole_cpus(parse_int(pieces[0]), parse_int(pieces[1]));
}

std::optional<std::int64_t> tighter(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

/// The cgroup (version 2) of this process, from a line such as "0::/user.slice/a.scope".
std::filesystem::path own_group(const SystemTree& tree) {
  const std::string groups = tree.text("/proc/self/cgroup").value_or("");
  for (const std::string_view line : split(groups, '\n')) {
    if (line.starts_with("0::/")) return std::filesystem::path(trim(line.substr(3))).relative_path();
  }
  return {};
}

std::optional<std::int64_t> version_1_quota(const SystemTree& tree) {
  return whole_cpus(tree.number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
                    tree.number("/sys/fs/cgroup/cpu/cpu.cfs_period_us"));
}

}  // namespace

std::optional<std::int64_t> cpu_quota(const SystemTree& tree) {
  std::optional<std::int64_t> tightest = version_1_quota(tree);
  std::filesystem::path group = own_group(tree);
  while (true) {
    const auto text = tree.text(std::filesystem::path("/sys/fs/cgroup") / group / "cpu.max");
    if (text) tightest = tighter(tightest, parse_cpu_max(*text));
    if (group.empty()) return tightest;
    group = group.parent_path();
  }
}

}  // namespace gemmtune
