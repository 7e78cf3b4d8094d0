// Recordings of what trials stores have.
#pragma once

#include <span>

#include "gemmtune/replay/recording.h"
#include "gemmtune/trials/store.h"

namespace gemmtune {

/// So many samples of a look are kept, evenly from the fastest to the slowest.
inline constexpr std::size_t most_recorded_samples = 24;

/// Every shape that was screened, by device. Of trials of the same candidate, the one with the most samples counts,
/// then the latest; all of a look come from trials of one family's version: the latest. Samples of screening, which
/// stores do not keep, are made of the five numbers that they do: exact for three samples.
Recording recording_of(std::span<const Trial> trials);

}  // namespace gemmtune
