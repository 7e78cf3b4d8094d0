// The options of `gemmtune bench`, as typed and as understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/bench/interleaved_bench.h"
#include "gemmtune/cli/tune/tune_options.h"
#include "gemmtune/cli/worker/roster.h"

namespace gemmtune {

struct BenchFlags {
  TuneFlags tune{.search = ""};  // shapes, families, search ("": all families together), policies and device
  bool all_shapes{};             // those that every report of this project measures
  std::vector<std::string> problems{};
  std::vector<std::string> tuned{};
  std::optional<std::int64_t> most_candidates{};
  std::vector<std::string> outputs{};
  std::optional<std::string> run_config{};  // "" for the tables that the environment names
  std::vector<std::string> compare{};       // two files, or none
  bool update_improved{};
  double min_improvement_pct{3};
  bool prove{};
  bool csv{};
  bool json{};
  bool markdown{};
};

void declare_bench_flags(Options& options, BenchFlags& flags);

/// Of `gemmtune bench all`, whose shapes are built in.
void declare_bench_all_flags(Options& options, BenchFlags& flags);

/// The options as understood: which families and candidates are measured, how, and where.
void declare_bench_measuring(Options& options, BenchFlags& flags);

/// The shapes that can be measured, and the messages about the others.
struct BenchShapes {
  std::vector<Problem> problems{};
  std::vector<std::string> rejected{};  // "shapes.csv:7:1: …"
};

/// The problems of --problem, then those of the list, each once. Messages on stderr name what is left out. Throws
/// Error: usage if the format is not clear, input if none of the problems can be used.
BenchShapes bench_shapes(const BenchFlags& flags);

/// Families, search and policies. If --tuned gives the tuned choices, nothing is searched unless the user asks for a
/// search.
BenchPlan bench_plan(const BenchFlags& flags, const Roster& roster);

/// The workers that are asked for, tried on the device of the benchmark.
Roster bench_roster(const BenchFlags& flags);

}  // namespace gemmtune
