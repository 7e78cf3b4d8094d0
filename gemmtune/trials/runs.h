// Reads and writes the table `runs`.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/trials/query.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

std::int64_t insert_run(Connection& connection, const std::string& command_line, std::int64_t shape_count);

/// The current state of a run. Writing it sets the heartbeat to the current time.
struct RunProgress {
  std::int64_t run{};
  std::int64_t shapes_done{};
  std::int64_t shapes_failed{};
  std::string state{};
};

void note_progress(Connection& connection, const RunProgress& progress);
std::vector<Run> all_runs(Connection& connection);

}  // namespace gemmtune
