#include "gemmtune/device/cpu/own_cgroup.h"

#include <algorithm>
#include <string>

#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

namespace fs = std::filesystem;

/// The group of the controller in lines such as "9:cpu,memory:/docker/ab"; "0::/user.slice/a.scope" is the group of
/// version 2, whose lines name no controller. Empty for the root.
fs::path group_of(const SystemTree& tree, std::string_view controller) {
  const std::string groups = tree.text("/proc/self/cgroup").value_or("");
  for (const std::string_view line : split(groups, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    if (std::ranges::find(controllers, controller) != controllers.end())
      return fs::path(trim(line.substr(second + 1))).relative_path();
  }
  return {};
}

std::vector<fs::path> upwards(const fs::path& root, fs::path group) {
  std::vector<fs::path> folders;
  for (; !group.empty(); group = group.parent_path()) folders.push_back(root / group);
  folders.push_back(root);
  return folders;
}

}  // namespace

std::vector<fs::path> own_groups(const SystemTree& tree) { return upwards("/sys/fs/cgroup", group_of(tree, "")); }

std::vector<fs::path> own_groups_of_version_1(const SystemTree& tree, std::string_view controller) {
  return upwards(fs::path("/sys/fs/cgroup") / controller, group_of(tree, controller));
}

}  // namespace gemmtune
