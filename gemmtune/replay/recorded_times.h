// What of a recorded shape is held to be true.
#pragma once

#include <optional>
#include <string_view>

#include "gemmtune/replay/recording.h"

namespace gemmtune {

/// The recorded median of a candidate that is right.
std::optional<double> true_time_us(const RecordedShape& shape, std::string_view candidate);

/// Of all that are right; nothing when none is.
std::optional<double> best_time_us(const RecordedShape& shape);

}  // namespace gemmtune
