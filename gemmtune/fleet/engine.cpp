#include "gemmtune/fleet/engine.h"

#include <chrono>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/fleet/shell_words.h"

namespace gemmtune {
namespace {

constexpr auto patience = std::chrono::seconds(20);
constexpr const char* in_folder = "cd \"$1\" && shift && exec \"$@\" </dev/null";

bool is_gnu_parallel_here() {
  try {
    Subprocess process({"parallel", "--version"});
    process.close_stdin();
    const auto line = process.read_line(std::chrono::steady_clock::now() + patience);
    return line.status == ReadStatus::line && line.line.starts_with("GNU parallel");
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Engine engine_of_this_machine() { return is_gnu_parallel_here() ? Engine::parallel : Engine::xargs; }

std::string_view to_string(Engine engine) { return engine == Engine::parallel ? "GNU parallel" : "xargs"; }

std::vector<std::string> engine_command(Engine engine, const EngineRun& run) {
  const auto count = std::to_string(run.at_a_time);
  if (engine == Engine::parallel)
    return {"parallel",   "--plain", "--will-cite", "--jobs",     count, "--joblog", "joblog",
            "--arg-file", "pending", "sh",          "attempt.sh", "{}",  "{%}"};
  return {"xargs", "-a", "pending", "-n", "1", "-P", count, "sh", "attempt.sh"};
}

Subprocess start_engine(Engine engine, const EngineRun& run, const std::vector<std::string>& attempt) {
  std::string pending;
  for (const auto shard : run.shards) pending += std::to_string(shard) + '\n';
  write_file_atomically(run.folder / "pending", pending);
  write_file_atomically(run.folder / "attempt.sh",
                        "#!/bin/sh\n# Runs one shard: its number, and the seat of the process.\nexec " +
                            shell_line(attempt) + " \"$@\"\n");
  std::vector<std::string> command{"sh", "-c", in_folder, "gemmtune", run.folder.string()};
  for (auto& word : engine_command(engine, run)) command.push_back(std::move(word));
  return Subprocess(command);
}

}  // namespace gemmtune
