// Folds a row of MXFP4 into int8. 2·E2M1 is one of 0, ±1, ±2, ±3, ±4, ±6, ±8, ±12, and times 2^s with s in 0…3 it still
// fits int8. A row whose non-zero blocks have exponents at most 3 apart is therefore exactly a row of int8 times one
// power of two, and the product of two such rows is an exact int32 times a power of two. Other rows are multiplied
// block by block; see mxfp4_blocks.h.
#pragma once

#include <cstdint>

#include "gemmtune/families/cpu_tile/int8_columns.h"

namespace gemmtune::cpu_tile {

inline constexpr int most_shift = 3;
inline constexpr std::uint8_t no_shift_base = 255;
inline constexpr std::uint8_t nan_scale = 255;

/// The codes of one row, with their scale bytes.
struct Mxfp4Row {
  const std::uint8_t* codes{};   // k / 2 bytes
  const std::uint8_t* scales{};  // one for each 32 of K
  std::int64_t k{};

  std::int64_t blocks() const { return (k + scale_block - 1) / scale_block; }
};

struct Fold {
  FoldKind kind{FoldKind::folded};
  std::uint8_t base{};  // of a folded row: the scale byte that its int8 values are relative to

  /// The shift_base of ExpandRowJob: blocks of rows that are not folded are not shifted.
  std::uint8_t shift_base() const { return kind == FoldKind::folded ? base : no_shift_base; }
  bool operator==(const Fold&) const = default;
};

/// How a row is multiplied. Rows with a NaN scale are nan. Blocks of zeros do not count towards the spread of
/// exponents.
Fold fold_of(const Mxfp4Row& row);

/// The value of an int8 unit with scale byte b: 2^(b - 128), because int8 values hold 2·E2M1.
double unit_of(std::uint8_t scale);

/// The factor of a whole row, as a float: NaN for a nan row, 1 for a row that is multiplied by blocks.
float row_factor(const Fold& fold);

}  // namespace gemmtune::cpu_tile
