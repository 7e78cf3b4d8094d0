// Whole numbers rounded up to tiles and blocks.
#pragma once

#include <cstdint>

namespace gemmtune {

/// The least number of steps that cover `count`, which is not negative.
constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t step) { return (count + step - 1) / step; }

/// The least multiple of `step` that is not less than `count`.
constexpr std::int64_t round_up(std::int64_t count, std::int64_t step) { return ceil_div(count, step) * step; }

}  // namespace gemmtune
