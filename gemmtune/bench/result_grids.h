// A benchmark as tables for people.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/bench/contender.h"
#include "gemmtune/report/grid.h"

namespace gemmtune {

/// Microseconds with as many decimals as make sense.
std::string time_text(double time_us);

/// "0.7 %"; "-" for nothing.
std::string percent_text(std::optional<double> share);

/// A line a contender: kernel, time, dispersion, TFLOPS, GB/s, share of the roofline; the winners strong.
Grid bench_grid(const Benchmark& benchmark);

/// A line a column, when there are several: shapes, how often the fastest, how far behind it, and the speed-up of tuned
/// choices over the default ones of the same family.
Grid summary_grid(const Benchmark& benchmark);

/// Who has no time, and why: "64x512x512:f32:f32:f32 openblas wrong_result: NAME: …".
std::vector<std::string> failures(const Benchmark& benchmark);

/// "cpu:0 AMD EPYC (x86-64-avx2, 2 units)", how it was measured, and what the roofline is.
std::vector<std::string> captions(const Benchmark& benchmark);

}  // namespace gemmtune
