// Makes recordings of trials stores.
#pragma once

#include <span>

#include "gemmtune/replay/recording.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// At most this many samples of a stage are kept. Those of each turn are spread evenly from its fastest to its slowest.
inline constexpr std::size_t most_recorded_samples = 24;

/// Every shape that was screened, by device. If a candidate has several trials of a stage, the one with the most
/// samples counts, and the latest among equals; trials of an older version of the family never count. Stores do not
/// keep the samples of screening, so they are rebuilt from the minimum, the median and the mean: exactly up to three of
/// them, and as if they lay symmetrically about their median if there are more.
Recording recording_of(std::span<const Trial> trials);

}  // namespace gemmtune
