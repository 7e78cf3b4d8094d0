// Sizes, tiles and blocks of the small-M kernels (mxfp4_skinny and mxfp4_fused).
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/small_m/arguments.h"

namespace gemmtune {

inline constexpr std::int64_t most_small_m_shared_bytes = 232'448;

/// How a product is divided among clusters of blocks.
struct SmallMCut {
  std::int64_t rows_a{};      // of a tile
  std::int64_t row_groups{};  // groups of a tile, of 64 rows of W each
  std::int64_t cluster{};     // blocks that work on a tile
};

/// Tiles of C, over all batches.
std::int64_t small_m_tiles(const Problem& problem, const SmallMCut& cut);

/// The number of blocks of the grid: clusters get equally many tiles, as far as possible, so that none works alone at
/// the end.
unsigned small_m_blocks(const Problem& problem, const SmallMCut& cut, std::int64_t multiprocessors);

/// Why such kernels do not take the problem's sizes, or "".
std::string why_no_small_m_sizes(const Problem& problem, const SmallMCut& cut);

SmallMSizes small_m_sizes(const Problem& problem, std::int64_t rows_a);

/// The compiler's option "-DSMALL_M_NAME=value".
std::string small_m_option(std::string_view name, std::int64_t value);

}  // namespace gemmtune
