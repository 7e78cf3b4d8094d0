// What starts the processes of a run's shards, so many at a time as there are devices: GNU parallel, or xargs where it
// is not installed. Which shard runs where is decided by these processes (fleet/attempt.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gemmtune/core/subprocess.h"

namespace gemmtune {

enum class Engine : std::uint8_t { parallel, xargs };

/// GNU parallel if it is on PATH. The program of the same name in moreutils is another one.
Engine engine_of_this_machine();
std::string_view to_string(Engine engine);

struct EngineRun {
  std::filesystem::path folder{};  // of the run: attempt.sh is there, and parallel's log of jobs
  std::vector<std::int64_t> shards{};
  std::size_t at_a_time{1};
};

/// The command, which is run in the run's folder.
std::vector<std::string> engine_command(Engine engine, const EngineRun& run);

/// Writes the list of shards and starts the engine. `attempt` is the command that runs a shard, whose number and seat
/// follow it.
Subprocess start_engine(Engine engine, const EngineRun& run, const std::vector<std::string>& attempt);

}  // namespace gemmtune
