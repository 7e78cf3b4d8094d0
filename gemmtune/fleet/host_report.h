// What runs on a host: the jobs of gemmtune's runs in its working folder, containers, the use of its GPUs. For
// `gemmtune status`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/fleet/host_link.h"
#include "gemmtune/fleet/probe.h"

namespace gemmtune {

struct JobFile {
  std::string name{};
  std::int64_t bytes{};
  std::string modified_utc{};
};

struct JobReport {
  std::string name{};   // run/shard
  std::string state{};  // "running", "ended with 1", "lost"
  std::int64_t shapes{};
  std::int64_t of{};
  std::vector<JobFile> files{};
  std::vector<std::string> log{};  // the last lines

  bool is_running() const { return state == "running"; }
};

struct HostReport {
  std::string host{};
  std::string why_not{};
  std::int64_t disk_free_mb{-1};
  std::vector<GpuUse> gpus{};
  std::vector<std::string> containers{};
  std::vector<JobReport> jobs{};
};

/// The lines that an agent's verb `report` prints.
HostReport parse_report(const std::vector<std::string>& lines);

/// Of hosts that are not reachable, why_not says so.
std::vector<HostReport> report_of_hosts(const std::vector<Host>& hosts);

/// The jobs in the folder of a run with Slurm, whose files this machine sees too.
std::vector<JobReport> jobs_in(const std::filesystem::path& run_folder, std::size_t lines);

}  // namespace gemmtune
