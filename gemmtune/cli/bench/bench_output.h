// Where a benchmark goes: files by their extension, and stdout as text or as one of the formats.
#pragma once

#include <string>

#include "gemmtune/bench/contender.h"
#include "gemmtune/cli/bench/bench_options.h"

namespace gemmtune {

/// Throws Error{usage} for a file whose extension is none of .csv, .json, .md and .txt. To be called before the work.
void insist_on_known_outputs(const BenchFlags& flags);

/// Of no shapes yet, with the device's roofline as remembered. One that does not read is no reason not to measure.
Benchmark empty_benchmark(const DeviceInfo& device, const BenchPlan& plan);

void write_benchmark(const Benchmark& benchmark, const BenchFlags& flags);

}  // namespace gemmtune
