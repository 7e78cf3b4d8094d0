// Rough times that need no device. They compare shapes with each other and are never reported.
#pragma once

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// The microseconds of one call on a device with 100 TFLOP/s and 1 TB/s that needs 2 µs to start a call: the largest of
/// computing, moving and starting. It does not depend on the device that will run the call.
double rough_time_us(const Problem& problem);

/// The cost of tuning the problem: 100 candidates, each prepared in 20 ms and run 100 times.
double rough_tuning_seconds(const Problem& problem);

}  // namespace gemmtune
