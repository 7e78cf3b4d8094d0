// A comparison as tables for people.
#pragma once

#include <string>

#include "gemmtune/report/comparison.h"
#include "gemmtune/report/grid.h"

namespace gemmtune {

/// "64x4096x4096:a4w4…", or the sizes alone where no types are known.
std::string shape_text(const ShapeId& shape);

/// The same in a comparison's lists: without what all its shapes have in common.
std::string shape_text(const Comparison& comparison, const ShapeId& shape);

/// TFLOPS with as many decimals as make sense: 5806.2, 12.34, 0.0153.
std::string rate_text(double tflops);

/// What all shapes have in common: "12 shapes, e2m1/1x32:e2m1/1x32:bf16:packed, gfx950/256".
std::string caption(const Comparison& comparison);

/// A line a shape: sizes, TFLOPS of each backend with the winners strong, who is best, and the primary's ratio to the
/// best alternative. Types and devices are columns where there are several.
Grid comparison_grid(const Comparison& comparison);

/// A line a pair: shapes, faster, slower, tied, then the speed-ups' minimum, maximum and means.
Grid pairs_grid(const Comparison& comparison);

/// Shapes on which the primary loses, at most so many.
Grid lost_grid(const Comparison& comparison, std::size_t limit);

/// Measurements left out for this reason, at most so many.
Grid skipped_grid(const Comparison& comparison, SkipReason reason, std::size_t limit);

}  // namespace gemmtune
