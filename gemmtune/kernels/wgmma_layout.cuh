// The constants of wgmma_gemm.cu, the layout of a block's shared memory, and the order of the tiles.
// Macros, set by wgmma_gemm.cpp:
//   BLOCK_M, BLOCK_N, STAGES     a block's tile, and how many steps of 128 along K are in flight
//   CLUSTER_M, CLUSTER_N         blocks of a cluster: those along M share W's tile, those along N A's, by multicast
//   CHUNKS                       scales are [step][row] instead of [row], and applied as sums are promoted, each step
//   PROMOTE                      sums move to float registers after so many steps of 128; 0: never
//   HAS_BIAS, STORES_TILES       (C's rows are multiples of 16 bytes)
// and those of output_element.cuh.
#pragma once

#include "gemmtune/kernels/wgmma_arguments.h"
#include "gemmtune/kernels/wgmma_instruction.cuh"

using gemmtune::most_split_tiles;
using gemmtune::wgmma_piece_rows;
using gemmtune::wgmma_threads;
using Arguments = gemmtune::WgmmaArguments;

constexpr int block_k = 128;  // bytes of a row in a stage: the width of the 128-byte swizzle
constexpr int cluster = CLUSTER_M * CLUSTER_N;
constexpr int group_rows = BLOCK_M / 2;  // rows of a consumer warpgroup
constexpr int subtiles = group_rows / 64;
constexpr int sums_of_subtile = BLOCK_N / 2;
constexpr int a_bytes = BLOCK_M * block_k;
constexpr int w_bytes = BLOCK_N * block_k;
constexpr int stage_bytes = a_bytes + w_bytes;
constexpr int out_columns = 128 / OUT_BYTES;  // columns of a piece of C that is stored at once
constexpr int pieces = BLOCK_N / out_columns;

#if PROMOTE
using Total = float;
#else
using Total = Sum;
#endif

/// For each tile, how many parts along K are done. Zero between launches.
__device__ unsigned arrivals[most_split_tiles * 2];

struct Shared {
  unsigned char stages[STAGES][stage_bytes];
  unsigned char pieces[2][2][4 * wgmma_piece_rows * 128];  // of C: for each consumer warpgroup's warps, two in turn
  float w_scale[2][BLOCK_N];
  unsigned long long full[STAGES];
  unsigned long long empty[STAGES];
  unsigned last[2];
};

/// This block's place in its cluster.
struct Place {
  int rank, m, n;

  /// Whether this block and the other one load parts of each other's tiles.
  __device__ __forceinline__ bool shares_with(int other) const {
    return other % CLUSTER_M == m || other / CLUSTER_M == n;
  }
  __device__ __forceinline__ unsigned short same_row() const {  // blocks whose tiles share A's
    unsigned mask = 0;
    for (int i = 0; i < CLUSTER_N; ++i) mask |= 1u << (m + i * CLUSTER_M);
    return static_cast<unsigned short>(mask);
  }
  __device__ __forceinline__ unsigned short same_column() const {
    return static_cast<unsigned short>(((1u << CLUSTER_M) - 1) << (n * CLUSTER_M));
  }
};

/// One tile of this block, or one part along K of it.
struct Unit {
  int row, column, batch;
  int split;
  int tile;        // counted over blocks, for partial sums
  int first, end;  // steps along K
};

__device__ __forceinline__ Unit unit_of(int index, const Arguments& g, const Place& place) {
  Unit unit;
  unit.split = index % g.splits;
  int tile = index / g.splits;
  unit.tile = tile * cluster + place.rank;
  const int tiles = g.m_tiles * g.n_tiles;
  unit.batch = tile / tiles;
  tile %= tiles;
  const int along = g.group_along_n ? g.n_tiles : g.m_tiles;
  const int across = g.group_along_n ? g.m_tiles : g.n_tiles;
  const int first = tile / (g.group * across) * g.group;
  const int in_group = min(along - first, g.group);
  const int rest = tile % (g.group * across);
  const int one = first + rest % in_group;
  const int other = rest / in_group;
  const int m_tile = (g.group_along_n ? other : one) * CLUSTER_M + place.m;
  const int n_tile = (g.group_along_n ? one : other) * CLUSTER_N + place.n;
  unit.row = m_tile * BLOCK_M;
  unit.column = n_tile * BLOCK_N;
  unit.first = static_cast<int>(static_cast<long long>(g.steps) * unit.split / g.splits);
  unit.end = static_cast<int>(static_cast<long long>(g.steps) * (unit.split + 1) / g.splits);
  return unit;
}

__device__ __forceinline__ int units(const Arguments& g) { return g.m_tiles * g.n_tiles * g.batch * g.splits; }
__device__ __forceinline__ int first_unit() { return blockIdx.x / cluster; }
__device__ __forceinline__ int unit_step() { return gridDim.x / cluster; }

/// A position in the pipeline: the stage, and the parity of its mbarriers' phase.
struct Position {
  int stage;
  unsigned parity;

  __device__ __forceinline__ void advance() {
    if (++stage < STAGES) return;
    stage = 0;
    parity ^= 1;
  }
};
