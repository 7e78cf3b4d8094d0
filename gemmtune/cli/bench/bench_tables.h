// `gemmtune bench` of tuned tables: what they would really run, and whether one table is better than another.
#pragma once

#include "gemmtune/cli/bench/bench_options.h"

namespace gemmtune {

/// --run_config: measures what a lookup in the table chooses, beside the default choice. Returns the exit code.
int bench_table(const BenchFlags& flags);

/// --compare: measures both tables' choices for each shape. With --update_improved, the first table gets the choices of
/// the second that are proven to be better. Returns the exit code.
int compare_tables(const BenchFlags& flags);

}  // namespace gemmtune
