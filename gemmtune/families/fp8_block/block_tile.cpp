#include "gemmtune/families/fp8_block/block_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gemmtune/gemm/rounding.h"
#include "gemmtune/kernels/wgmma_arguments.h"

namespace gemmtune {
namespace {

constexpr std::int64_t step_k = 128;
constexpr std::int64_t w_block = 128;             // columns that share a scale
constexpr std::int64_t widest_piece = 192;        // columns
constexpr std::int64_t most_sum_registers = 208;  // of one thread; the rest of its 232 registers is for everything else

std::int64_t subtiles(const BlockTile& tile) { return tile.group_rows() / 64; }
std::int64_t pieces(const BlockTile& tile) { return tile.group_columns() / block_piece_columns(tile); }

/// The largest power of two up to 128 that divides both.
std::int64_t power_in(std::int64_t a, std::int64_t b) { return std::gcd(std::gcd(a, b), w_block); }

/// Blocks of W that so many columns may touch which begin at a multiple of `power` (wgmma_layout.cuh).
std::int64_t blocks_touched(std::int64_t columns, std::int64_t power) {
  return ceil_div(columns + w_block - power, w_block);
}

std::int64_t scale_bytes(const BlockTile& tile) { return wgmma_scale_steps * (tile.block_m + wgmma_most_w_blocks) * 4; }

std::int64_t bytes_without_staging(const BlockTile& tile) {
  constexpr std::int64_t barriers_of_scales = 2 * 8 * wgmma_scale_steps;
  const auto stage = (tile.block_m + tile.block_n) * step_k + 2 * 8;
  return round_up(tile.stages * stage + scale_bytes(tile) + barriers_of_scales + 16, 16);
}

/// Registers for sums: of half a tile, and of the pieces in flight.
std::int64_t sum_registers(const BlockTile& tile) {
  return tile.block_m * tile.block_n / 256 + block_sums_in_flight(tile.way) * block_piece_columns(tile) / 2;
}

std::string why_no_shape(const BlockTile& tile, DType out) {
  if (tile.block_m != 64 && tile.block_m != 128 && tile.block_m != 256) return "tiles have 64, 128 or 256 rows";
  if (tile.block_n < 16 || tile.block_n > 256 || tile.block_n % 16 != 0) return "tiles have 16, 32, … 256 columns";
  if (tile.row_groups != 1 && tile.row_groups != 2) return "warpgroups divide the rows (2) or the columns (1)";
  if (tile.group_rows() < 64 || tile.group_rows() > 128) return "a warpgroup has 64 or 128 rows";
  const auto out_columns = 128 / storage_bytes(out, 1);
  if (tile.group_columns() < out_columns || tile.group_columns() % 16 != 0)
    return fmt::format("a warpgroup has at least {} columns, and a multiple of 16", out_columns);
  return "";
}

std::string why_no_cluster(const BlockTile& tile) {
  if (tile.cluster_m < 1 || tile.cluster_n < 1 || tile.cluster() > 4) return "clusters have 1 to 4 blocks";
  if (tile.block_n % (8 * tile.cluster_m) != 0 || tile.block_m % (8 * tile.cluster_n) != 0)
    return "blocks of a cluster bring 8 rows at least of the tile they share";
  return "";
}

}  // namespace

std::int64_t block_sums_in_flight(BlockWay way) { return way == BlockWay::two ? 2 : 1; }

std::int64_t block_piece_columns(const BlockTile& tile) {
  const auto all = tile.group_columns();
  return tile.way == BlockWay::two || all <= widest_piece ? all : all / 2;
}

std::int64_t block_staging(const BlockTile& tile) {
  return wgmma_staging(tile.group_rows(), tile.group_columns(), bytes_without_staging(tile), 1);
}

std::int64_t block_shared_bytes(const BlockTile& tile) {
  return bytes_without_staging(tile) + wgmma_staging_bytes(block_staging(tile));
}

std::int64_t block_step_bytes(const BlockTile& tile) {
  const auto reads_of_a = subtiles(tile) * pieces(tile) * 64;
  const auto reads_of_w = subtiles(tile) * tile.group_columns();
  return (2 * (reads_of_a + reads_of_w) + tile.block_m + tile.block_n) * step_k;
}

std::int64_t block_step_clocks(const BlockTile& tile) { return tile.block_m * tile.block_n / 32; }

std::string why_no_block_tile(const BlockTile& tile, DType out) {
  if (auto why = why_no_shape(tile, out); !why.empty()) return why;
  if (auto why = why_no_cluster(tile); !why.empty()) return why;
  if (tile.stages < 2 || tile.stages > 16) return "a ring has 2 to 16 stages";
  if (tile.group < 1 || tile.group > 1024) return "groups have 1 to 1024 tiles";
  if (sum_registers(tile) > most_sum_registers) return "sums do not fit into registers";
  // The compiler would wait for each instruction.
  if (tile.way == BlockWay::two && subtiles(tile) > 1) return "two pieces in flight need 64 rows of a warpgroup";
  const auto piece = block_piece_columns(tile);
  if (blocks_touched(piece, power_in(tile.block_n, piece)) > 2) return "a piece of the tile lies in three blocks of W";
  if (const auto bytes = block_shared_bytes(tile); bytes > most_wgmma_shared_bytes)
    return fmt::format("needs {} bytes of shared memory, and a block has {}", bytes, most_wgmma_shared_bytes);
  return "";
}

}  // namespace gemmtune
