#include "gemmtune/device/cpu/cpu_quota.h"

#include <algorithm>

#include "gemmtune/core/text.h"
#include "gemmtune/device/cpu/own_cgroup.h"

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

std::optional<std::int64_t> version_1_quota(const SystemTree& tree, const std::filesystem::path& group) {
  return whole_cpus(tree.number(group / "cpu.cfs_quota_us"), tree.number(group / "cpu.cfs_period_us"));
}

}  // namespace

std::optional<std::int64_t> cpu_quota(const SystemTree& tree) {
  std::optional<std::int64_t> tightest;
  for (const auto& group : own_groups_of_version_1(tree, "cpu"))
    tightest = tighter(tightest, version_1_quota(tree, group));
  for (const auto& group : own_groups(tree))
    if (const auto text = tree.text(group / "cpu.max")) tightest = tighter(tightest, parse_cpu_max(*text));
  return tightest;
}

}  // namespace gemmtune
