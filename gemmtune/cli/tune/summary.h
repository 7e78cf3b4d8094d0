// What a tuning run says at its end: each shape's winner, where the time went, and what failed and how to see it.
#pragma once

#include <string>

#include "gemmtune/cli/tune/tune_inputs.h"
#include "gemmtune/tune/tuner.h"

namespace gemmtune {

struct RunSummary {
  TuneInputs inputs{};
  std::vector<ShapeResult> results{};
  double wall_s{};
  std::size_t workers{1};
  std::uint64_t seed{};
  bool list_already_tuned{};  // else they are counted
};

struct ShapeCounts {
  std::size_t tuned{};
  std::size_t failed{};    // tried without a winner, or never reached
  std::size_t skipped{};   // already tuned, or too large
  std::size_t rejected{};  // lines
};

ShapeCounts count_shapes(const RunSummary& run);

std::string summary_text(const RunSummary& run);

}  // namespace gemmtune
