// Sizes that the host gives to the small-M kernels. Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

struct SmallMSizes {
  std::int32_t m{};
  std::int32_t n{};
  std::int32_t k{};
  std::int32_t batch{};
  std::int32_t m_tiles{};  // of A, rows_a each
  std::int32_t w_tiles{};  // of W, 64 rows each
};

/// A unit is 256 of K, two bricks of 64 rows × 128: codes and scales.
constexpr std::int32_t small_m_unit_k = 256;
constexpr std::int32_t small_m_brick_bytes = 64 * 128 / 2 + 64 * 128 / 32;
constexpr std::int32_t small_m_unit_bytes = 2 * small_m_brick_bytes;

/// How many binades the blocks of a row of W may spread over, with one scale for each row and for each block.
constexpr std::int32_t small_m_row_binades = 11;
constexpr std::int32_t small_m_block_binades = 138;

}  // namespace gemmtune
