// Times that a device cannot reach are no gains but faults: of a kernel that does not do the work when it is timed, or
// of a worker that measures wrongly.
#pragma once

#include <memory>

#include "gemmtune/bench/roofline.h"
#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

/// No right kernel takes less, in microseconds, by what was measured of the device: neither to multiply at the peak of
/// the problem's types, nor to move the operands that its caches cannot hold. 0 where nothing was measured. Both have a
/// margin of 2, and of 4 on a CPU, because a roofline may have been measured while others used the machine, and by a
/// slower kernel than there is now. A peak that was measured on a smaller problem than peak_size() says nothing.
double shortest_plausible_us(const Roofline& roofline, const DeviceInfo& device, const Problem& problem);

/// Asks `inner`. A candidate that is right and faster than that is reported as wrong_result, with the reason and
/// without its time.
std::unique_ptr<Evaluator> with_plausible_times(std::unique_ptr<Evaluator> inner, Roofline roofline);

}  // namespace gemmtune
