// How a block of fp8_block's kernel multiplies: its tile of C, which part each of its two consumer warpgroups has, and
// what that takes of a multiprocessor. Sizes of a problem do not matter here; block_gemm.h has those.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/gemm/dtype.h"
#include "gemmtune/kernels/wgmma_gemm.h"

namespace gemmtune {

/// How many sums of a warpgroup are in flight. With one, the warpgroup waits for the tensor core, adds, and goes on:
/// only the other warpgroup keeps the tensor core busy meanwhile. `ahead` is the same, but at the end of a tile the
/// warpgroup begins with its next tile before it writes C. With two, the warpgroup's own next sums are computed while
/// it adds.
enum class BlockWay : std::uint8_t { one, ahead, two };

struct BlockTile {
  std::int64_t block_m{256};   // rows of C of a block: 64, 128 or 256
  std::int64_t block_n{128};   // columns: a multiple of 16 up to 256
  std::int64_t row_groups{2};  // 2: each consumer warpgroup has half of the rows; 1: half of the columns
  BlockWay way{};
  std::int64_t stages{4};     // of the ring; each holds 128 of K of both operands
  std::int64_t cluster_m{1};  // blocks that share W's tile by multicast
  std::int64_t cluster_n{1};  // blocks that share A's tile by multicast
  std::int64_t group{8};      // tiles (of a cluster) that stand together in the order of tiles
  TileOrder order{};
  /// Parts along K of each tile that does not fit into whole rounds: all tiles if the device holds all of them at once,
  /// else those that are left for the last round.
  std::int64_t split_k{1};

  std::int64_t cluster() const { return cluster_m * cluster_n; }
  std::int64_t group_rows() const { return block_m / row_groups; }
  std::int64_t group_columns() const { return block_n * row_groups / 2; }
  auto operator<=>(const BlockTile&) const = default;
};

/// Sums of a warpgroup that are in flight: 1 or 2.
std::int64_t block_sums_in_flight(BlockWay way);

/// Columns that a warpgroup multiplies at a time.
std::int64_t block_piece_columns(const BlockTile& tile);

/// Pieces of C of each warp that may be on their way to memory (wgmma_staging()).
std::int64_t block_staging(const BlockTile& tile);

/// Of dynamic shared memory of a block.
std::int64_t block_shared_bytes(const BlockTile& tile);

/// What wgmma and TMA move through the shared memory for 128 of K, in bytes, and the time in which the tensor core
/// multiplies that much, in clocks.
std::int64_t block_step_bytes(const BlockTile& tile);
std::int64_t block_step_clocks(const BlockTile& tile);

/// Why there is no kernel with this tile that writes `out`, or "".
std::string why_no_block_tile(const BlockTile& tile, DType out);

}  // namespace gemmtune
