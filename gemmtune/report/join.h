// What a file leaves unsaid about its shapes, taken from the others of the same report: a benchmark's CSV has sizes
// alone, AITER's older tables no architecture.
#pragma once

#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// A device that is not said in full becomes the one device of all others that it can be; failing that, its
/// architecture follows from its compute units by AITER's rule. Types that are not said become those that all others of
/// these sizes have, else those that all others have. What stays ambiguous stays apart. Each assumption is noted once
/// for a file.
Readings joined(Readings readings);

}  // namespace gemmtune
