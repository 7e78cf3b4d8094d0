// Completes what a file does not state about its shapes from the other files of the same report: a benchmark's CSV
// has only sizes, and AITER's older tables have no architecture.
#pragma once

#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// A device that is not stated in full becomes the only device of all others that it can be; without one, its
/// architecture follows from its compute units by AITER's rule. Types that are not stated become those that all other
/// shapes of these sizes have, or else those that all others have. What stays ambiguous stays separate. Each
/// assumption is noted once for a file.
Readings joined(Readings readings);

}  // namespace gemmtune
