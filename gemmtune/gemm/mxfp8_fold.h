// MXFP8 with coarser scales. Hopper's tensor cores multiply E4M3 fast if scales change each 128 of K at most, and MXFP8
// has one for each 32. Folding puts A's blocks on one scale for each 128 of K of a row, and those of the weights on one
// scale for each row. It rounds small elements again, so that it is not exact: the bounds here say what it may change.
#pragma once

namespace gemmtune {

/// The largest ‖folded − real‖ / ‖real‖ of a row that folding may cause. For A it holds for any values: an element that
/// is rounded is off by 2^-10 of its group's scale at most, and the largest of 128 elements is at least 240 scales:
/// √127 · 2^-10 / 240 < 2^-14.4. For weights it is checked, and rows that break it are refused; it is the precision of
/// Hopper's tensor cores (docs/verifying.md). Rows of up to 900 elements cannot break it.
inline constexpr double mxfp8_fold_bound_of_a = 0x1p-14;
inline constexpr double mxfp8_fold_bound_of_w = 0x1p-13;

}  // namespace gemmtune
