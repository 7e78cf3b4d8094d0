// How rows of MXFP4 become rows of a wider type times powers of two, exactly: which powers, and which rows can be
// folded. Shared by the host and the run-time compilers of GPUs. docs/mxfp4-on-hopper.md derives it.
//
// An element is E2M1 · 2^e, where e belongs to its block. It is stored as E2M1 · 2^(e - base), and the base goes into a
// scale. This is exact as long as e - base lies in the type's window.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gemmtune {

enum class FoldType : std::uint8_t {
  e4m3,  // 15 block exponents fit
  int8,  // holds twice the value: 4 block exponents fit
  bf16,  // 127 fit
};

/// Which elements share a base.
enum class FoldBase : std::uint8_t {
  row,
  tensor,  // all rows of all batches
  chunk,   // 128 of K in a row
  none,    // there is no base, values stand for themselves; bf16 only
};

/// Where in int8's window a row's exponents are put; those of other types are always put high.
enum class FoldFill : std::uint8_t {
  low,   // sums stay small
  high,  // low bits stay 0: an H100's tensor cores need less power when one side is so
};

/// How the values and scales that are read are stored: row-major, or as AITER shuffles them (gemm/shuffle.h).
enum class InputLayout : std::uint8_t { plain, shuffled };

inline constexpr int fold_block = 32;   // elements of K that share an exponent
inline constexpr int fold_chunk = 128;  // elements of K that share a base of FoldBase::chunk

/// What FoldLayout::wide says about a row. 0 means that the row was folded.
inline constexpr unsigned char wide_row = 1;
inline constexpr unsigned char nan_row = 2;  // the row was folded, and its products are NaN

/// The smallest and the largest exponent of a power of two that E2M1 may be multiplied by.
struct FoldWindow {
  int lowest{};
  int highest{};
};

constexpr FoldWindow fold_window(FoldType type) {
  if (type == FoldType::e4m3) return {-8, 6};  // 0.5 · 2^-8 is the smallest subnormal, 6 · 2^6 = 384 of 448
  if (type == FoldType::int8) return {0, 3};   // 2 · 6 · 2^3 = 96 of 127
  return {-120, 6};
}

/// Scales stay within 2^±61, so that an accumulator may be multiplied by two of them in any order: no intermediate
/// product leaves float's normal range unless the result does.
inline constexpr int most_fold_base = 60;

/// The base for blocks with exponents from `low` to `high`. FP8 is filled from the top of its window, where it has all
/// of its bits.
constexpr int fold_base(FoldType type, FoldFill fill, int low, int high) {
  const int base = type == FoldType::int8 && fill == FoldFill::low ? low : high - fold_window(type).highest;
  return std::min(std::max(base, -most_fold_base), most_fold_base);
}

constexpr bool fits_window(FoldType type, int base, int low, int high) {
  return low - base >= fold_window(type).lowest && high - base <= fold_window(type).highest;
}

/// The exponent of the power of two that a stored value is multiplied by.
constexpr int fold_scale_exponent(FoldType type, int base) { return type == FoldType::int8 ? base - 1 : base; }

}  // namespace gemmtune
