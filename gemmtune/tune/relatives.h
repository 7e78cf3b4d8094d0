// The candidates of a winner's own family that failed in a way that a race in the shared code may cause.
#pragma once

#include <vector>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

/// The winner's relatives that crashed, hung, or could not be launched on this shape, now or earlier (then they are
/// quarantined). The candidates of a family share their code and differ in their parameters, so a fault of one may be a
/// fault of all that shows seldom. Empty without a winner. Valid as long as the result stays unchanged.
std::vector<const Evaluation*> crashed_relatives(const ShapeResult& result);

}  // namespace gemmtune
