// What stream_folded.cu is compiled for, and where everything is: in a block's shared memory, and among tiles and
// chunks of K.
#pragma once

#include "gemmtune/kernels/stream_arguments.h"
#include "gemmtune/kernels/stream_types.cuh"

constexpr int tile_m = STREAM_TILE_M;           // rows of A: 8, 16, …, 128
constexpr int row_groups = STREAM_ROW_GROUPS;   // warpgroups, 64 rows of W each
constexpr int cluster = STREAM_CLUSTER;         // blocks that share rows and split K
constexpr int stages = STREAM_STAGES;           // chunks on their way
constexpr int promote = 4;                      // chunks that the tensor core sums before float does
constexpr int early = 4 < stages ? 4 : stages;  // chunks whose weights are asked for before all else
constexpr int shared_bytes = STREAM_SHARED_BYTES;
constexpr bool row_base = true;  // W's block scales are in its e4m3 values
constexpr bool a_is_folded = true;

constexpr int threads = 128 + row_groups * 128;
constexpr int chunk_k = 128;
constexpr int brick_bytes = gemmtune::stream_brick_bytes;
constexpr int w_stage_bytes = row_groups * brick_bytes;
constexpr int a_stage_bytes = tile_m * chunk_k;
constexpr int held = tile_m / 2;  // accumulators of a thread
constexpr int sums_bytes = 64 * tile_m * 4;

constexpr int even_registers = STREAM_REGISTERS;  // at the start; then they move to the warps that multiply
constexpr int few_registers = 56;
constexpr int spared = (even_registers * (row_groups + 1) - few_registers) / row_groups / 8 * 8;
constexpr int many_registers = spared < 240 ? spared : 240;

constexpr int w_at = stages * a_stage_bytes;
constexpr int far_sums_at = w_at + stages * w_stage_bytes;
constexpr int finished_here = (row_groups + cluster - 1) / cluster;  // row groups whose sums a block finishes
constexpr int barriers_at = far_sums_at + finished_here * (cluster - 1) * sums_bytes;
constexpr int barrier_count = 2 * stages + 2 * row_groups;
static_assert(barriers_at + 8 * barrier_count == shared_bytes);

using Sizes = gemmtune::StreamSizes;

struct Ring {
  int stage;
  u32 phase;
  __device__ void next() {
    if (++stage < stages) return;
    stage = 0;
    phase ^= 1;
  }
};

struct Shared {
  u32 base;
  __device__ u32 a(int stage) const { return base + stage * a_stage_bytes; }
  __device__ u32 w(int stage, int group) const { return base + w_at + stage * w_stage_bytes + group * brick_bytes; }
  __device__ u32 far_sums(int row_group, int slot) const {
    return base + far_sums_at + (row_group / cluster * (cluster - 1) + slot) * sums_bytes;
  }
  __device__ u32 full(int stage) const { return base + barriers_at + 8 * stage; }
  __device__ u32 empty(int stage) const { return full(stages + stage); }
  __device__ u32 far_full(int row_group) const { return full(2 * stages + row_group); }
  __device__ u32 far_empty(int row_group) const { return far_full(row_groups + row_group); }
};

/// Which rows of what this block works on.
struct Tile {
  int batch;
  int m_tile;
  int w_tile;  // the first of row_groups
};

__device__ inline int w_groups(const Sizes& s) { return (s.w_tiles + row_groups - 1) / row_groups; }
__device__ inline int tile_count(const Sizes& s) { return s.batch * s.m_tiles * w_groups(s); }

/// Tiles of A are next to each other, so that weights read twice are read while they are in the cache.
__device__ inline Tile tile_at(const Sizes& s, int index) {
  const int rest = index / s.m_tiles;
  return {rest / w_groups(s), index % s.m_tiles, rest % w_groups(s) * row_groups};
}

/// Whether this cluster works on no tile after that one.
__device__ inline bool is_last_tile(const Sizes& s, int index) {
  return index + (int)gridDim.x / cluster >= tile_count(s);
}

/// A block's part of K, in chunks: an even number, as packed weights have.
struct Part {
  int first;
  int count;
};

__device__ inline int chunks_of(const Sizes& s) { return (s.k + 2 * chunk_k - 1) / (2 * chunk_k) * 2; }
__device__ inline Part part_of(const Sizes& s, int part) {
  const int pairs = chunks_of(s) / 2;
  const int first = pairs * part / cluster;
  return {2 * first, 2 * (pairs * (part + 1) / cluster - first)};
}
