// How far a tuning run is, told by what it writes into its store.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/trials/store.h"

namespace gemmtune {

enum class RunState : std::uint8_t {
  running,
  done,
  stopped,  // by its user, its budget or an error; the same command goes on
  killed,   // its process is gone, and it had no time to say so
  silent,   // on another machine, and nothing has been heard of it for a while
};

std::string_view to_string(RunState state);

/// A file that a run writes, as it is now.
struct WrittenFile {
  RunFile file{};
  bool is_there{};
  std::int64_t bytes{};
  std::string modified_utc{};
};

struct RunStatus {
  std::filesystem::path store{};
  Run run{};
  RunState state{RunState::done};
  double elapsed_s{};
  double last_heard_s{};                // ago
  double shapes_per_hour{};             // 0 until one is done
  std::optional<double> remaining_s{};  // of running ones, at this rate
  std::vector<RunResult> results{};
  double mean_gain{};                          // geometric, over the default choice; 0 where no gain is known
  std::map<Outcome, std::int64_t> outcomes{};  // of its trials
  std::vector<RunLine> last_lines{};
  std::vector<WrittenFile> files{};
};

struct StatusQuery {
  std::int64_t lines{5};
  bool all_runs{};  // else the latest of each store, and those that run
};

/// Of one store. Throws Error when it cannot be read.
std::vector<RunStatus> statuses_of(const std::filesystem::path& store, const StatusQuery& query = {});

/// What is true of a run at this moment; `alive` says whether its process is there, nothing that it cannot be seen from
/// here.
RunState state_of(const Run& run, std::optional<bool> alive, double last_heard_s);

/// Those with a gain, the largest first.
std::vector<RunResult> best_gains(const RunStatus& status, std::size_t count);

/// Seconds from one time of the store (2026-11-27T21:41:31Z) to a moment; 0 when it is none.
double seconds_between(const std::string& utc, std::time_t moment);

}  // namespace gemmtune
