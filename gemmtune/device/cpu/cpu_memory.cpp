#include "gemmtune/device/cpu/cpu_memory.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "gemmtune/core/text.h"
#include "gemmtune/device/cpu/own_cgroup.h"

namespace gemmtune {
namespace {

constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();

/// The memory on the line "MemTotal: 16384 kB" of /proc/meminfo.
std::int64_t memory_of_machine(const SystemTree& tree) {
  const auto total = field(tree.text("/proc/meminfo").value_or(""), "MemTotal");
  const auto kilobytes = total ? parse_int(split(*total, ' ').front()) : std::nullopt;
  return kilobytes.value_or(0) * 1024;
}

/// "max" and what is no number are no limits.
std::int64_t limit_in(const SystemTree& tree, const std::filesystem::path& file) {
  const auto bytes = tree.number(file);
  return bytes && *bytes > 0 ? *bytes : unlimited;
}

std::int64_t tightest_limit(const SystemTree& tree) {
  auto tightest = unlimited;
  for (const auto& group : own_groups(tree)) tightest = std::min(tightest, limit_in(tree, group / "memory.max"));
  for (const auto& group : own_groups_of_version_1(tree, "memory"))
    tightest = std::min(tightest, limit_in(tree, group / "memory.limit_in_bytes"));
  return tightest;
}

/// The number on a line such as "oom_kill 3".
std::int64_t kills_in(std::string_view events) {
  for (const auto line : split(events, '\n')) {
    const auto words = split(trim(line), ' ');
    if (words.size() == 2 && words[0] == "oom_kill") return parse_int(words[1]).value_or(0);
  }
  return 0;
}

}  // namespace

std::int64_t usable_memory_bytes(const SystemTree& tree) {
  const auto machine = memory_of_machine(tree);
  const auto limit = tightest_limit(tree);
  if (limit == unlimited) return machine;
  return machine > 0 ? std::min(machine, limit) : limit;
}

std::int64_t memory_kills(const SystemTree& tree) {
  for (const auto& group : own_groups(tree))
    if (const auto events = tree.text(group / "memory.events")) return kills_in(*events);
  for (const auto& group : own_groups_of_version_1(tree, "memory"))
    if (const auto events = tree.text(group / "memory.oom_control")) return kills_in(*events);
  return 0;
}

}  // namespace gemmtune
