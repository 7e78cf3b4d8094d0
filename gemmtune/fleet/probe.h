// What a host is like at this moment: reachable, its GPUs and who uses them, containers, disk, and whether the program
// runs there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/fleet/bundle.h"
#include "gemmtune/fleet/device_list.h"
#include "gemmtune/fleet/host_link.h"

namespace gemmtune {

struct GpuUse {
  std::string name{};
  std::string driver{};
  std::string use{};  // in words: "busy 97 %, 71000 of 81559 MiB", or "idle"
  bool is_busy{};
};

struct HostProbe {
  std::string host{};
  std::string why_not{};  // why it cannot be used; empty: it can
  std::string hostname{};
  std::string system{};
  std::string folder{};  // its working folder, absolute
  std::int64_t disk_free_mb{-1};
  std::string version{};
  std::string bundle{};  // "sound", "copied"; empty: not looked at
  std::vector<GpuUse> gpus{};
  std::vector<std::string> containers{};
  std::vector<FleetDevice> devices{};  // those to be used

  bool is_usable() const { return why_not.empty(); }
};

struct ProbePlan {
  Bundle bundle{};
  std::optional<Bundle> files{};
  std::string version{};  // ours, as `gemmtune --version` says it
};

/// Copies the agent, looks at the host, copies the bundle if the host has none that is sound, and asks the program
/// there for its version and its devices. Never throws for what a host says or does: that is why_not.
HostProbe probe_host(const HostLink& link, const ProbePlan& plan);

/// Calls work(i) for all i below count, many at a time: for hosts, which mostly wait.
void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work);

/// One line of nvidia-smi: index,name,driver,utilisation %,MiB used,MiB in all.
GpuUse gpu_use(const std::string& line);

}  // namespace gemmtune
