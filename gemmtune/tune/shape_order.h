// Which shapes a run takes first.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

/// Indices, those first by which a run saves most in the time that it spends on them: calls (weight) times the time of
/// a call, for each second of tuning, by rough times. A run whose budget ends has then done the best part of its work.
/// Equals stay in order.
std::vector<std::size_t> by_saving(std::span<const Shape> shapes);

/// As they came.
std::vector<std::size_t> as_listed(std::size_t count);

}  // namespace gemmtune
