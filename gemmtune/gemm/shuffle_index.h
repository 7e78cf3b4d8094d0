// The place of a scale or of a byte of weights in AITER's shuffled layouts (gemm/shuffle.h), as arithmetic that the
// run-time compilers of GPUs compile as well.
#pragma once

#include <cstdint>

namespace gemmtune {

/// The place of scale (row, col); `padded_cols` is cols rounded up to a multiple of 8.
constexpr std::int64_t shuffled_scale_index(std::int64_t row, std::int64_t col, std::int64_t padded_cols) {
  return row / 32 * 32 * padded_cols + col / 8 * 256 + col % 4 * 64 + row % 16 * 4 + col % 8 / 4 * 2 + row % 32 / 16;
}

/// The place of byte k of row n. 16 rows × 32 bytes are kept together, with 16 bytes of a row side by side.
constexpr std::int64_t shuffled_weight_index(std::int64_t n, std::int64_t k, std::int64_t row_bytes) {
  return n / 16 * 16 * row_bytes + k / 32 * 512 + k % 32 / 16 * 256 + n % 16 * 16 + k % 16;
}

}  // namespace gemmtune
