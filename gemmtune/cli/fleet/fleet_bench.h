// `gemmtune bench --hosts FILE` and `--slurm`: the CSV of a benchmark, measured on many devices of one kind. The
// contenders of a shape are always timed on one device.
#pragma once

#include "gemmtune/cli/bench/bench_options.h"

namespace gemmtune {

/// Returns the exit code of the command.
int bench_on_fleet(const BenchFlags& flags);

}  // namespace gemmtune
