// A benchmark as tables for people.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/bench/contender.h"
#include "gemmtune/report/grid.h"

namespace gemmtune {

/// A time in microseconds, with as many decimals as are meaningful.
std::string time_text(double time_us);

/// A share as "0.7 %", or "-" if there is none.
std::string percent_text(std::optional<double> share);

/// One line for each contender: kernel, time, dispersion, TFLOPS, GB/s, share of the roofline. Winners are bold.
Grid bench_grid(const Benchmark& benchmark);

/// If there are several columns, one line for each: shapes, how often it was the fastest, how far it was behind the
/// fastest, and how much faster tuned choices are than default choices of the same family.
Grid summary_grid(const Benchmark& benchmark);

/// The contenders without a time and the reason: "64x512x512:f32:f32:f32 openblas wrong_result: NAME: …".
std::vector<std::string> failures(const Benchmark& benchmark);

/// "cpu:0 AMD EPYC (x86-64-avx2, 2 units)", how it was measured, and the roofline.
std::vector<std::string> captions(const Benchmark& benchmark);

}  // namespace gemmtune
