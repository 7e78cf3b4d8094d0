// The constants of wgmma_gemm.cu, the layout of a block's shared memory, and the order of the tiles.
// Macros, set by wgmma_gemm.cpp:
//   BLOCK_M, BLOCK_N, STAGES     a block's tile, and how many steps of 128 along K are in flight
//   CLUSTER_M, CLUSTER_N         blocks of a cluster: those along M share W's tile, those along N A's, by multicast
//   CHUNKS                       scales are [step][row] instead of [row], and applied as sums are promoted, each step
//   PROMOTE                      sums move to float registers after so many steps of 128; 0: never
//   STAGING                      pieces of C of each warp that may be on their way to memory
//   HAS_BIAS, STORES_TILES       (C's rows are multiples of 16 bytes)
// and those of output_element.cuh. Kernels with scales for blocks of 128 (families/fp8_block) set PROMOTE to 1 and
// CHUNKS to 0, and also:
//   BLOCK_SCALES                 1
//   ROW_GROUPS                   2: each consumer warpgroup has half of the tile's rows; 1: half of its columns
//   PIECE_N                      columns that are multiplied at a time
//   SUMS_IN_FLIGHT               pieces that a warpgroup multiplies at once: 1, or 2 so that it adds one meanwhile
//   STARTS_AHEAD                 1: it begins with the next tile before it writes C (SUMS_IN_FLIGHT is 1)
//   SCALE_STEPS                  steps whose scales are copied at once: 1, 2 or 4, and divides K / 128
//   MANY_REGISTERS, FEW_REGISTERS   of a thread that multiplies, and of one that copies
//   SHARED_BYTES                 of dynamic shared memory
#pragma once

#include "gemmtune/kernels/wgmma_arguments.h"
#include "gemmtune/kernels/wgmma_instruction.cuh"

using gemmtune::most_split_tiles;
using gemmtune::wgmma_piece_rows;
using gemmtune::wgmma_quotient;
using gemmtune::wgmma_threads;
using Arguments = gemmtune::WgmmaArguments;

constexpr int block_k = 128;  // bytes of a row in a stage: the width of the 128-byte swizzle
constexpr int cluster = CLUSTER_M * CLUSTER_N;
#if BLOCK_SCALES
constexpr int row_groups = ROW_GROUPS;
constexpr int part_steps = SCALE_STEPS;  // parts along K begin at multiples of this
constexpr int many_registers = MANY_REGISTERS;
constexpr int few_registers = FEW_REGISTERS;
constexpr bool w_is_old = false;  // whether W was written before the previous kernel on the stream
constexpr bool starts_ahead = STARTS_AHEAD;
#else
constexpr int row_groups = 2;
constexpr int part_steps = 1;
constexpr int many_registers = 232;
constexpr int few_registers = 40;
constexpr bool w_is_old = true;
constexpr bool starts_ahead = false;
#endif
constexpr int staging = STAGING;
constexpr int group_rows = BLOCK_M / row_groups;  // of a consumer warpgroup
constexpr int group_columns = BLOCK_N * row_groups / 2;
constexpr int subtiles = group_rows / 64;
constexpr int sums_of_subtile = group_columns / 2;
constexpr int a_bytes = BLOCK_M * block_k;
constexpr int w_bytes = BLOCK_N * block_k;
constexpr int stage_bytes = a_bytes + w_bytes;
constexpr int out_columns = 128 / OUT_BYTES;  // columns of a piece of C that is stored at once
constexpr int pieces = (group_columns + out_columns - 1) / out_columns;

__device__ __forceinline__ int first_row_of(int group) { return row_groups == 2 ? group * group_rows : 0; }
__device__ __forceinline__ int first_column_of(int group) { return row_groups == 2 ? 0 : group * group_columns; }

/// Of a piece of C, within the warpgroup's columns. If pieces do not divide them, the last two overlap, and both store
/// the same values there.
__device__ __forceinline__ constexpr int column_of_piece(int piece) {
  const int last = group_columns - out_columns;
  return piece * out_columns < last ? piece * out_columns : last;
}

#if PROMOTE
using Total = float;
#else
using Total = Sum;
#endif

/// For each tile, how many parts along K are done. Zero between launches.
__device__ unsigned arrivals[most_split_tiles * 2];

#if BLOCK_SCALES
constexpr int scale_slots = gemmtune::wgmma_scale_steps / SCALE_STEPS;

/// The largest power of two up to 128 that divides a number.
constexpr int power_in(int number) {
  int power = 1;
  while (power < 128 && number % (power * 2) == 0) power *= 2;
  return power;
}
/// Blocks of 128 columns that `columns` may touch if they begin at a multiple of a power of two.
constexpr int blocks_touched(int columns, int power) { return (columns + 128 - power + 127) / 128; }
constexpr int w_blocks = blocks_touched(BLOCK_N, power_in(BLOCK_N));
static_assert(w_blocks <= gemmtune::wgmma_most_w_blocks);

/// Scales of some steps along K: of the tile's rows of A, and of the blocks of W that the tile touches.
struct alignas(16) ScaleSlot {
  float a[BLOCK_M][SCALE_STEPS];
  float w[gemmtune::wgmma_most_w_blocks][SCALE_STEPS];
};
#endif

struct Shared {
  unsigned char stages[STAGES][stage_bytes];
  unsigned char pieces[2][staging][4 * wgmma_piece_rows * 128];  // of C: for each consumer warpgroup's warps, in turn
#if BLOCK_SCALES
  ScaleSlot scales[scale_slots];
  unsigned long long scales_full[gemmtune::wgmma_scale_steps];
  unsigned long long scales_empty[gemmtune::wgmma_scale_steps];
#else
  float w_scale[2][BLOCK_N];
#endif
  unsigned long long full[STAGES];
  unsigned long long empty[STAGES];
  unsigned last[2];
};
#if BLOCK_SCALES
static_assert(sizeof(Shared) == SHARED_BYTES, "the host reserves this memory");

// Where members of Shared are. The compiler computes the address of shared memory anew for each pointer to it, which
// takes longer than a main loop has.
constexpr unsigned scales_at = sizeof(Shared::stages) + sizeof(Shared::pieces);
constexpr unsigned scales_full_at = scales_at + sizeof(Shared::scales);
constexpr unsigned scales_empty_at = scales_full_at + sizeof(Shared::scales_full);
constexpr unsigned full_at = scales_empty_at + sizeof(Shared::scales_empty);
constexpr unsigned empty_at = full_at + sizeof(Shared::full);
static_assert(empty_at + sizeof(Shared::empty) + sizeof(Shared::last) <= SHARED_BYTES);
static_assert(empty_at + sizeof(Shared::empty) + sizeof(Shared::last) + 16 > SHARED_BYTES, "no gaps between members");
#endif

/// This block's place in its cluster.
struct Place {
  int rank, m, n;

  /// Whether this block and the other one load parts of each other's tiles.
  __device__ __forceinline__ bool shares_with(int other) const {
    return CLUSTER_M == 1 || CLUSTER_N == 1 || other % CLUSTER_M == m || other / CLUSTER_M == n;
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
  int split;  // which of `parts` along K
  int parts;
  int tile;        // counted over blocks, for partial sums
  int first, end;  // steps along K
};

/// Divides only where it must: in a consumer, the tensor core waits meanwhile.
__device__ __forceinline__ Unit unit_of(int index, const Arguments& g, const Place& place) {
  Unit unit{.batch = 0, .split = 0, .parts = 1, .first = 0, .end = g.steps};
  int tile = index;
  if (index >= g.whole) {
    const int part = index - g.whole;
    unit.parts = g.splits;
    unit.split = part % g.splits;
    tile = g.whole + part / g.splits;
    const long long steps = g.steps / part_steps;
    unit.first = static_cast<int>(steps * unit.split / unit.parts) * part_steps;
    unit.end = static_cast<int>(steps * (unit.split + 1) / unit.parts) * part_steps;
  }
  unit.tile = (tile - g.whole) * cluster + place.rank;
  if (g.batch > 1) {
    const int tiles = g.m_tiles * g.n_tiles;
    unit.batch = tile / tiles;
    tile %= tiles;
  }
  const int along = g.group_along_n ? g.n_tiles : g.m_tiles;
  const int across = g.group_along_n ? g.m_tiles : g.n_tiles;
  const int group = wgmma_quotient(tile, g.group * across, g.per_group);
  const int first = group * g.group;
  const int rest = tile - first * across;
  const bool is_last = along - first < g.group;
  const int in_row = is_last ? along - first : g.group;
  const int other = wgmma_quotient(rest, in_row, is_last ? g.per_last_row : g.per_row);
  const int one = first + rest - other * in_row;
  const int m_tile = (g.group_along_n ? other : one) * CLUSTER_M + place.m;
  const int n_tile = (g.group_along_n ? one : other) * CLUSTER_N + place.n;
  unit.row = m_tile * BLOCK_M;
  unit.column = n_tile * BLOCK_N;
  return unit;
}

__device__ __forceinline__ int units(const Arguments& g) {
  return g.whole + (g.m_tiles * g.n_tiles * g.batch - g.whole) * g.splits;
}
__device__ __forceinline__ int first_unit() { return blockIdx.x / cluster; }
__device__ __forceinline__ int unit_step() { return gridDim.x / cluster; }

/// A position in a ring of `count` stages: the stage, and the parity of its mbarriers' phase.
template <int count>
struct RingPosition {
  int stage;
  unsigned parity;

  __device__ __forceinline__ void advance() {
    if (++stage < count) return;
    stage = 0;
    parity ^= 1;
  }
};
using Position = RingPosition<STAGES>;

/// How far a consumer has come.
struct Consumed {
  Position tiles;
#if BLOCK_SCALES
  bool tiles_are_full;  // those of this position; false: this has to be waited for
  RingPosition<scale_slots> scales;
#endif
};
