// What the program is asked for on a host, from the flags of the same command here.
#pragma once

#include <string>
#include <vector>

#include "gemmtune/cli/bench/bench_options.h"
#include "gemmtune/cli/tune/tune_options.h"

namespace gemmtune {

/// `gemmtune tune` of a shard: shapes.csv gives table.csv and trials.db. Without what this machine does itself:
/// choosing the shapes, writing the outputs, the budget.
std::vector<std::string> tune_arguments(const TuneFlags& flags);

/// The same of two candidates of each family of one shape, measured anew.
std::vector<std::string> tune_calibration_arguments(const TuneFlags& flags);

/// `gemmtune bench` of a shard: shapes.csv, and the tables that are sent along, give bench.json.
std::vector<std::string> bench_arguments(const BenchFlags& flags);

/// The tables that a benchmark of these flags reads.
std::vector<std::string> tables_of(const BenchFlags& flags);

/// Throws Error{usage} for flags that mean something else, or nothing, with other machines.
void insist_on_tunable_elsewhere(const TuneFlags& flags);
void insist_on_benchable_elsewhere(const BenchFlags& flags);

}  // namespace gemmtune
