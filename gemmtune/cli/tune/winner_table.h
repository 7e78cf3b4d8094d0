// The winners of a tuning run, one to a line.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gemmtune/tune/tuner.h"

namespace gemmtune {

enum class TieColumn { shown, left_out };

/// A grid of all shapes with their winners, and notes on what its column of regrets means. What all shapes have in
/// common stands above it, not in each line. With a `width`, kernels' names are cut so that lines are not longer, as
/// far as that is possible.
std::string winner_table(std::span<const ShapeResult> results, std::size_t width = 0,
                         TieColumn ties = TieColumn::shown);

}  // namespace gemmtune
