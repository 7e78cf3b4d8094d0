// What a cluster of blocks works on at a time: rows of W and of A, and how far K is split. Macros:
//   SMALL_M_TILE_M        rows of A in a tile: 8, 16, …, 128
//   SMALL_M_ROW_GROUPS    groups of 64 rows of W in a tile
//   SMALL_M_CLUSTER       blocks that share the rows and split K
//   SMALL_M_FOLDED        A was folded to e4m3 before, and W's block scales are in its e4m3 values. If not, both sides'
//                         block scales are multiplied with in float
#pragma once

#include "gemmtune/kernels/integers.cuh"
#include "gemmtune/kernels/small_m/arguments.h"

constexpr int tile_m = SMALL_M_TILE_M;
constexpr int row_groups = SMALL_M_ROW_GROUPS;
constexpr int cluster = SMALL_M_CLUSTER;
constexpr bool a_is_folded = SMALL_M_FOLDED;
constexpr bool row_base = SMALL_M_FOLDED;  // whether W has one scale for each row

constexpr int brick_bytes = gemmtune::small_m_brick_bytes;
constexpr int held = tile_m / 2;  // accumulators of a thread
constexpr int sums_bytes = 64 * tile_m * 4;
constexpr int finished_here = (row_groups + cluster - 1) / cluster;  // row groups that a block of the cluster finishes

using Sizes = gemmtune::SmallMSizes;

/// The rows of each operand that this cluster works on.
struct Tile {
  int batch;
  int m_tile;
  int w_tile;  // the first of the tile's row_groups groups of 64 rows
};

__device__ inline int w_groups(const Sizes& s) { return (s.w_tiles + row_groups - 1) / row_groups; }
__device__ inline int tile_count(const Sizes& s) { return s.batch * s.m_tiles * w_groups(s); }

/// Tiles of A come in sequence, so that weights that are read twice are still in the cache the second time.
__device__ inline Tile tile_at(const Sizes& s, int index) {
  const int rest = index / s.m_tiles;
  return {rest / w_groups(s), index % s.m_tiles, rest % w_groups(s) * row_groups};
}

/// Whether this cluster has no tile after that one.
__device__ inline bool is_last_tile(const Sizes& s, int index) {
  return index + (int)gridDim.x / cluster >= tile_count(s);
}

/// The number of chunks of 128 of K, which is even.
__device__ inline int chunks_of(const Sizes& s) {
  return (s.k + gemmtune::small_m_unit_k - 1) / gemmtune::small_m_unit_k * 2;
}
