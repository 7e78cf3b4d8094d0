// A comparison as tables for people.
#pragma once

#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/grid.h"

namespace gemmtune {

/// The problem as "64x4096x4096:a4w4…", or only its sizes if the types are not known.
std::string shape_text(const ShapeId& shape);

/// The same text for a comparison's lists, without what all its shapes have in common.
std::string shape_text(const Comparison& comparison, const ShapeId& shape);

/// The rate in TFLOPS with as many decimals as are meaningful: 5806.2, 12.34, 0.0153.
std::string rate_text(double tflops);

/// What the marks behind rates mean, a line each. "" when there are none.
std::string notes_on_marks(const Comparison& comparison);

/// What all shapes have in common: "12 shapes, e2m1/1x32:e2m1/1x32:bf16:packed, gfx950/256".
std::string caption(const Comparison& comparison);

/// One line for each shape: sizes, TFLOPS of each backend with the winners in bold and a question mark behind those of
/// kernels that are not proven, the best backend, and the
/// primary's ratio to the best alternative. Types and devices are columns if there are several.
Grid comparison_grid(const Comparison& comparison);

/// One line for each pair: shapes, faster, slower, tied, then minimum, maximum and means of the speed-ups.
Grid pairs_grid(const Comparison& comparison);

/// The shapes on which the primary loses, at most this many.
Grid lost_grid(const Comparison& comparison, std::size_t limit);

/// The measurements that were left out for this reason, at most this many.
Grid skipped_grid(const Comparison& comparison, SkipReason reason, std::size_t limit);

}  // namespace gemmtune
