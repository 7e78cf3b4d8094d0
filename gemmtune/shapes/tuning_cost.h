// Rough times that need no device. They compare shapes with each other; with the rates of a device, they say in advance
// about how long tuning takes there.
#pragma once

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// How fast a device multiplies and moves.
struct DeviceRates {
  double tflops{100};
  double gbps{1000};
};

/// The microseconds that one call takes at least: for computing or for moving.
double least_time_us(const Problem& problem, const DeviceRates& rates);

/// The microseconds of one call on a device of these rates that needs 2 µs to start a call.
double rough_time_us(const Problem& problem, const DeviceRates& rates = {});

/// The cost of tuning the problem: 100 candidates, each prepared in 20 ms and run 100 times.
double rough_tuning_seconds(const Problem& problem, const DeviceRates& rates = {});

}  // namespace gemmtune
