// A comparison as a terminal shows it.
#pragma once

#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/grid.h"

namespace gemmtune {

struct TextStyle {
  bool colour{};           // otherwise winners are marked with a star
  std::size_t listed{20};  // number of rows in each list below the table
};

/// Colour on a terminal that supports it, unless NO_COLOR is set.
TextStyle style_of_stdout();

std::string text_of(const Grid& grid, const TextStyle& style);

/// The table of shapes, then the summary.
std::string analysis_text(const Comparison& comparison, const TextStyle& style);

}  // namespace gemmtune
