// The progress of a tuning run, from what the run writes into its store.
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
  stopped,  // by its user, its budget or an error; the same command resumes it
  killed,   // its process ended without recording the end
  silent,   // on another machine, and without a heartbeat for a while
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
  double last_heard_s{};                // seconds since the last heartbeat
  double shapes_per_hour{};             // 0 until one shape is done
  std::optional<double> remaining_s{};  // only for a running run, at its present rate
  std::vector<RunResult> results{};
  double mean_gain{};  // geometric mean of the gain over the default choice; 0 if no gain is known
  std::map<Outcome, std::int64_t> outcomes{};  // number of its trials by outcome
  std::vector<RunLine> last_lines{};
  std::vector<WrittenFile> files{};
  std::size_t damaged_rows{};  // of the store, as far as it was read; they are left out
};

struct StatusQuery {
  std::int64_t lines{5};
  bool all_runs{};  // false: of each store the latest run that had shapes to tune, and all running ones
};

/// The runs of one store. Throws Error if it cannot be read.
std::vector<RunStatus> statuses_of(const std::filesystem::path& store, const StatusQuery& query = {});

/// The state of a run at this moment. `alive` says whether its process exists; empty if that cannot be determined on
/// this machine.
RunState state_of(const Run& run, std::optional<bool> alive, double last_heard_s);

/// The shapes with a gain, starting with the largest gain.
std::vector<RunResult> best_gains(const RunStatus& status, std::size_t count);

/// Seconds from a time in the store (2026-11-27T21:41:31Z) to a moment. 0 if the text is not a time.
double seconds_between(const std::string& utc, std::time_t moment);

}  // namespace gemmtune
