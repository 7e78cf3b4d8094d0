// What became of one shard so far: which hosts tried it, and how each try ended. A file in the shard's folder, written
// by the process that holds the shard's lock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gemmtune {

enum class ShardState : std::uint8_t { pending, done, failed };

struct Try {
  std::string host{};
  std::string device{};
  std::string begun_utc{};
  double seconds{};
  std::string verdict{};  // as to_string(JobVerdict)
  std::string why{};
  std::string store{};  // what it measured, below the shard's folder; "": nothing that counts
};

struct AttemptLog {
  ShardState state{ShardState::pending};
  bool is_fresh{};     // earlier trials do not count: they were taken on a device that measures far off
  std::string host{};  // where its job may still run; "": nowhere
  std::string device{};
  std::int64_t starts{};  // requests to begin a job; the number of the latest one
  std::vector<Try> tries{};
};

/// A shard that was never tried has no file.
AttemptLog read_attempts(const std::filesystem::path& path);
void write_attempts(const std::filesystem::path& path, const AttemptLog& log);

}  // namespace gemmtune
