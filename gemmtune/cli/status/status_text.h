// A run's status for people and for programs.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/report/run_status.h"

namespace gemmtune {

/// All that is known of a run. Kernels' names and the lines of its log are cut to `width` characters; 0: they are not.
std::string status_text(const RunStatus& status, std::size_t width = 0);

/// One line for a run that is not running: "tuned.trials.db: done, 4 of 4 shapes in 37 s, 1.14x, 2026-11-29T21:32:36Z".
std::string ended_line(const RunStatus& status);

nlohmann::ordered_json status_json(const RunStatus& status);

}  // namespace gemmtune
