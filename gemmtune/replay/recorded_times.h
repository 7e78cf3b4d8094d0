// The times of a recorded shape that count as true.
#pragma once

#include <optional>
#include <string_view>

#include "gemmtune/replay/recording.h"

namespace gemmtune {

/// The recorded time of a candidate, in microseconds: the mean (of logarithms) of its turns' medians, as searches judge
/// it, where a turn that stands out (by 5 % or more, and beyond the scatter of the others) counts as if it barely did:
/// the machine stalled. The median of its samples where the turns are not known. Nothing when it failed or is not
/// known.
std::optional<double> true_time_us(const RecordedShape& shape, std::string_view candidate);

/// The least of all such times; nothing when no candidate is right.
std::optional<double> best_time_us(const RecordedShape& shape);

}  // namespace gemmtune
