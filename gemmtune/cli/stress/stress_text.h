// What `gemmtune stress` prints.
#pragma once

#include <span>
#include <string>

#include "gemmtune/cli/stress/stress_session.h"

namespace gemmtune {

/// A row for each family, then a line for each failure and for each candidate whose bits change, with its reason.
std::string stress_text(std::span<const StressRecord> records);

}  // namespace gemmtune
