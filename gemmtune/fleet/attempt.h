// Runs one shard of a fleet's run: finds a device that is free, has it calibrated if that is due, sends the shard,
// waits, and takes back what it measured; elsewhere if it fails there. A process for each shard does this, which GNU
// parallel or xargs starts (fleet/engine.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace gemmtune {

struct AttemptRequest {
  std::filesystem::path folder{};  // of the run
  std::int64_t shard{};
  std::size_t seat{};  // the device that is tried first
  pid_t head{};        // once this process is gone, the shard is left where it is; 0: nobody's
};

enum class AttemptEnd : std::uint8_t {
  done,     // its results are there
  failed,   // no host could do it
  no_host,  // all devices are set aside
  stopped,  // by the user, by the deadline, or with the head
};

/// Throws Error if the run's folder cannot be read or written.
AttemptEnd attempt_shard(const AttemptRequest& request);

/// Sets aside what measures far off, as far as it can be told once all devices have calibrated, and has their shards
/// done again. Called when no shard runs.
void judge_calibrations(const std::filesystem::path& folder);

}  // namespace gemmtune
