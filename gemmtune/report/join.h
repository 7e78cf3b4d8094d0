// Completes what a file does not state about its shapes from the other files of the same report: a benchmark's CSV
// has only sizes, and AITER's older tables have no architecture.
#pragma once

#include "gemmtune/report/measurement.h"

namespace gemmtune {

/// If a device is not stated in full and only one of all other devices fits, it is that device. If none fits, its
/// architecture follows from its compute units by AITER's rule. Types that are not stated become those that all other
/// shapes of these sizes have, or else those that all other shapes have. What stays ambiguous stays separate. Each
/// assumption is noted once for a file.
Readings joined(Readings readings);

}  // namespace gemmtune
