// A comparison in the layout of AITER's tuning guide: one row for each shape with the TFLOPS of Triton, Gluon, CK-Tile
// and ASM, then speed-ups by pair and what went wrong. Not: the page and the tables of gemmtune's own
// (report/comparison_grids.h), which say more.
#pragma once

#include <string>

#include "gemmtune/report/comparison.h"

namespace gemmtune {

/// Markdown. Backends beside those four follow them. The ratio is the primary's to the best of all others.
std::string seed_layout_text(const Comparison& comparison);

}  // namespace gemmtune
