// A comparison as a terminal shows it.
#pragma once

#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/grid.h"

namespace gemmtune {

struct TextStyle {
  bool colour{};           // else winners have a star
  std::size_t listed{20};  // of each list below the table
};

/// In colour on a terminal that can, unless NO_COLOR is set.
TextStyle style_of_stdout();

std::string text_of(const Grid& grid, const TextStyle& style);

/// The table of shapes, then the summary.
std::string analysis_text(const Comparison& comparison, const TextStyle& style);

}  // namespace gemmtune
