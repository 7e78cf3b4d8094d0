// A run's status for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gemmtune/report/run_status.h"

namespace gemmtune {

std::string status_text(const RunStatus& status);
nlohmann::ordered_json status_json(const RunStatus& status);

}  // namespace gemmtune
