// Rough times that need no device: to weigh shapes against each other, never to report.
#pragma once

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// One call on a device of 100 TFLOP/s and 1 TB/s that needs 2 µs to start one: the slowest of what it computes and
/// what it moves, whichever device it will really run on.
double rough_time_us(const Problem& problem);

/// Tuning it: 100 candidates, each prepared in 20 ms and run 100 times.
double rough_tuning_seconds(const Problem& problem);

}  // namespace gemmtune
