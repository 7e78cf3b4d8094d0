// Where a benchmark is written: to files according to their extension, and to stdout as text or in one of the
// formats.
#pragma once

#include <string>

#include "gemmtune/bench/contender.h"
#include "gemmtune/cli/bench/bench_options.h"

namespace gemmtune {

/// Throws Error{usage} for a file whose extension is none of .csv, .json, .md and .txt. Call it before the work.
void insist_on_known_outputs(const BenchFlags& flags);

/// A benchmark without shapes, with the stored roofline of the device. A roofline that cannot be read does not stop
/// the benchmark.
Benchmark empty_benchmark(const DeviceInfo& device, const BenchPlan& plan);

/// The files of --output. They can be written after each shape, so that little is lost when the run is killed.
void write_bench_files(const Benchmark& benchmark, const BenchFlags& flags);

/// The files, and what belongs on stdout.
void write_benchmark(const Benchmark& benchmark, const BenchFlags& flags);

}  // namespace gemmtune
