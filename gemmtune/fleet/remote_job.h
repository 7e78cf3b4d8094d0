// One job of a shard on a host, from sending its inputs to fetching what it wrote. The job outlives a lost connection:
// this side comes back to it until the host has been silent for too long.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "gemmtune/fleet/host_link.h"
#include "gemmtune/fleet/verdict.h"

namespace gemmtune {

struct RemoteJob {
  std::string name{};            // of its folder on the host: a plain name
  std::int64_t start{};          // a number above that of every earlier request to begin this job
  std::filesystem::path back{};  // gets what it wrote
  double lost_s{60};
  double limit_s{};
};

/// Whether to go on. `stop` ends the job on the host; `leave` leaves it alone.
enum class GoOn : std::uint8_t { yes, stop, leave };

/// Called about once a second with the number of shapes that are done.
using OnProgress = std::function<GoOn(std::int64_t shapes)>;

/// Sends the folder and starts the job. Nothing is returned if it runs, also from an earlier request; otherwise how it
/// ended.
std::optional<JobEnd> start_job(const HostLink& link, const RemoteJob& job, const std::filesystem::path& inputs);

/// What became of this request and of those before it: "running", "lost", an exit code, or "absent", after which they
/// never begin. Nothing if the host has been silent for too long.
std::optional<std::string> fence_job(const HostLink& link, const RemoteJob& job);

/// Waits until the job ends and fetches what it wrote. Nothing is returned if it was left alone.
std::optional<JobEnd> wait_for_job(const HostLink& link, const RemoteJob& job, const OnProgress& on_progress);

/// What a job's folder that came back says of how it ended, beside what is known already.
JobEnd read_job_end(const std::filesystem::path& back, JobEnd end);

/// The same where nothing else is known: the folder holds the exit code, or the job was lost.
JobEnd read_job_end(const std::filesystem::path& back);

}  // namespace gemmtune
