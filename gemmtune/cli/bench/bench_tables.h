// `gemmtune bench` of tuned tables: what one would really run, and whether one is better than another.
#pragma once

#include "gemmtune/cli/bench/bench_options.h"

namespace gemmtune {

/// --run_config: what a lookup in the table chooses, beside the default choice. Returns the exit code.
int bench_table(const BenchFlags& flags);

/// --compare: both tables' choices of each shape; the first table gets what the second is proven to have better, where
/// --update_improved is given. Returns the exit code.
int compare_tables(const BenchFlags& flags);

}  // namespace gemmtune
