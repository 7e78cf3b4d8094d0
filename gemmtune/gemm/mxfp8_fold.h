// MXFP8 with coarser scales. Hopper's tensor cores multiply E4M3 fast if scales change each 128 of K at most, and MXFP8
// has one for each 32. Folding puts A's blocks on one scale for each 128 of K of a row, and those of the weights on one
// scale for each row. It rounds small elements again, so that it is not exact: the bounds here say what it may change.
//
// This is the host's fold, which is the rule. kernels/mxfp8_folder.h folds on a GPU, to the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gemmtune/gemm/mxfp8_fold_rules.h"
#include "gemmtune/gemm/quantise.h"

namespace gemmtune {

/// The largest ‖folded − real‖ / ‖real‖ of a row that folding may cause. For A it holds for any values: an element that
/// is rounded is off by 2^-10 of its group's scale at most, and the largest of 128 elements is at least 240 scales:
/// √127 · 2^-10 / 240 < 2^-14.4. For weights it is checked, and rows that break it are refused; it is the precision of
/// Hopper's tensor cores (docs/verifying.md). Rows of up to 900 elements cannot break it.
inline constexpr double mxfp8_fold_bound_of_a = 0x1p-14;
inline constexpr double mxfp8_fold_bound_of_w = 0x1p-13;

/// Which elements share a scale once they are folded.
enum class Mxfp8Base : std::uint8_t {
  group,  // 128 of K in a row
  row,
};

/// What folding changed, over all rows.
struct Mxfp8FoldReport {
  std::int64_t elements{};      // that are not what they were
  std::int64_t rows{};          // with such elements
  std::int64_t refused_rows{};  // whose error is above mxfp8_fold_bound_of_w
  double worst_error{};         // the largest ‖folded − real‖ / ‖real‖ of a row

  bool operator==(const Mxfp8FoldReport&) const = default;
};

/// Of all rows. A row with an element or a scale that is NaN counts without it: its products are NaN with and without
/// folding.
Mxfp8FoldReport mxfp8_fold_report(const std::vector<Mxfp8RowChange>& changes);

/// Why weights with such a report are not multiplied ("2 of 64 rows of the weights …"), or "".
std::string why_not_folded(const Mxfp8FoldReport& report, std::int64_t rows);

struct FoldedMxfp8 {
  std::vector<std::byte> values{};        // [rows][k], E4M3
  std::vector<float> scales{};            // [rows][⌈k / 128⌉], or [rows]: powers of two, or NaN
  std::vector<Mxfp8RowChange> changes{};  // [rows]
};

/// Folds `rows` × `k` elements of a side that is_mxfp8(). A scale that is NaN makes the new scale NaN that it is part
/// of. Zeros have the scale 1. Throws Error{unsupported} for other sides.
FoldedMxfp8 fold_mxfp8(const Quantised& operand, std::int64_t rows, std::int64_t k, Side side, Mxfp8Base base);

}  // namespace gemmtune
