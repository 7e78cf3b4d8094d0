// Rough times that need no device. They weigh shapes against each other and are never reported.
#pragma once

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Microseconds of one call on a device of 100 TFLOP/s and 1 TB/s with 2 µs to start a call: the slowest of
/// computing, moving and starting, whichever device it will run on.
double rough_time_us(const Problem& problem);

/// The cost of tuning it: 100 candidates, each prepared in 20 ms and run 100 times.
double rough_tuning_seconds(const Problem& problem);

}  // namespace gemmtune
