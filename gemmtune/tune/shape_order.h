// The order in which a run takes its shapes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// Indices of the shapes, in descending order of what tuning them saves per second of tuning: the number of calls
/// (weight) times a rough time per call, divided by a rough tuning time. When the budget ends a run early, the run has
/// then done the most useful part of its work. Equal shapes keep their order.
std::vector<std::size_t> by_saving(std::span<const Shape> shapes);

/// Indices in the order of the list.
std::vector<std::size_t> as_listed(std::size_t count);

}  // namespace gemmtune
