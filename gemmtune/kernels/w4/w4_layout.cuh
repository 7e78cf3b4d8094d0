// The constants of w4_multiply.cu, the layout of a block's shared memory, and which part of the product a block has.
// Macros, set by w4_gemm.cpp:
//   W4_FP8           1: A is in E4M3, with scales. 0: A is in bf16
//   W4_TOKEN_SCALES  of A in E4M3: each row has a scale, instead of each matrix
//   W4_SCALE_K       weights along K that share a scale: 32 (MXFP4) or 16 (NVFP4, with bf16 only)
//   W4_STAGES        stages of the ring; each holds 128 of K of both operands
//   W4_REGISTERS     of a thread at the start. Where W4_MANY_REGISTERS is not 0, threads that multiply get that many,
//                    from those that copy
//   W4_PAIRS         rows of C have an even number of elements of 2 bytes
//   W4_LINES         C is written in lines of 128 bytes, through shared memory
//   W4_SHARED_BYTES, W4_BIAS
// and those of output_element.cuh and stream/tile.cuh.
#pragma once

#include "gemmtune/kernels/stream/tile.cuh"
#include "gemmtune/kernels/w4/w4_arguments.h"
#include "gemmtune/kernels/w4/w4_bits.h"

using Arguments = gemmtune::W4Arguments;

constexpr int stages = W4_STAGES;
constexpr int scale_k = W4_SCALE_K;
constexpr bool is_fp8 = W4_FP8;
constexpr bool has_token_scales = W4_TOKEN_SCALES;
constexpr bool writes_pairs = W4_PAIRS;
constexpr bool writes_lines = W4_LINES;

constexpr int chunk_k = gemmtune::w4_brick_k;
constexpr int brick_bytes = gemmtune::w4_brick_bytes(scale_k);
constexpr int w_stage_bytes = bricks * brick_bytes;
constexpr int panel_k = is_fp8 ? 128 : 64;  // of A: 128 bytes, as the swizzle has them
constexpr int panel_bytes = tokens * 128;
constexpr int a_stage_bytes = chunk_k / panel_k * panel_bytes;

/// Blocks whose K is not split work on one tile after the other.
constexpr bool is_persistent = parts == 1;

/// Large sums that are sent take the place of the ring, once all blocks of the cluster have finished with theirs.
constexpr bool reuses_ring = consumers * far_bytes > gemmtune::w4_most_extra_bytes;

constexpr int w_at = stages * a_stage_bytes;
constexpr int ring_bytes = w_at + stages * w_stage_bytes;
constexpr int far_at = reuses_ring ? 0 : ring_bytes;
constexpr int far_end = far_at + consumers * far_bytes;
constexpr int lines_at = far_end > ring_bytes ? far_end : ring_bytes;
constexpr int lines_bytes = writes_lines ? gemmtune::w4_lines_bytes : 0;  // of a warpgroup
constexpr int token_scales_at = lines_at + consumers * lines_bytes;
constexpr int token_scales_bytes = is_fp8 ? tokens * 4 : 0;  // of a warpgroup
constexpr int barriers_at = token_scales_at + consumers * token_scales_bytes;
static_assert(barriers_at + 8 * (2 * stages + consumers) == W4_SHARED_BYTES);
static_assert(stages % k_groups == 0, "warpgroups along K have stages of their own");
static_assert(stages >= 2 * k_groups, "a warpgroup waits for its next stage before it releases the present one");

struct Shared {
  u32 base;
  __device__ u32 a(int stage) const { return base + stage * a_stage_bytes; }
  __device__ u32 brick(int stage, int brick) const { return base + w_at + stage * w_stage_bytes + brick * brick_bytes; }
  __device__ u32 far_sums() const { return base + far_at; }
  __device__ u32 lines(int warpgroup) const { return base + lines_at + warpgroup * lines_bytes; }
  __device__ u32 token_scales(int warpgroup) const { return base + token_scales_at + warpgroup * token_scales_bytes; }
  __device__ u32 full(int stage) const { return base + barriers_at + 8 * stage; }
  __device__ u32 empty(int stage) const { return full(stages + stage); }
  __device__ u32 far_full(int warpgroup) const { return full(2 * stages + warpgroup); }
};

/// A block's part of K, in chunks, and its place in its cluster.
struct Place {
  int k_block;
  int sharer;
  int first;
  int count;
};

__device__ inline Place place_of(const Arguments& g, int rank) {
  const int k_block = rank / sharers;
  const int first = g.chunks * k_block / k_blocks;
  return {k_block, rank % sharers, first, g.chunks * (k_block + 1) / k_blocks - first};
}

/// A block's tile: block_rows rows of W from `row` on, tokens from `token` on.
struct Tile {
  int batch;
  int row;
  int token;
};

__device__ inline int tile_count(const Arguments& g) { return g.batch * g.row_clusters * g.token_tiles; }

/// The number of tiles that this block works on.
__device__ inline int tiles_of_block(const Arguments& g) {
  const int step = gridDim.x / cluster;
  return (tile_count(g) - (int)blockIdx.x / cluster + step - 1) / step;
}

/// Tiles of A come in sequence, some at a time, so that blocks that work at the same time read the same rows of A and
/// of W.
__device__ inline Tile tile_at(const Arguments& g, int index, const Place& place) {
  const int of_matrix = g.row_clusters * g.token_tiles;
  const int in_matrix = index % of_matrix;
  const int group = in_matrix / (g.row_clusters * g.tile_group);
  const int first = group * g.tile_group;
  const int width = min(g.tile_group, g.token_tiles - first);
  const int in_group = in_matrix - first * g.row_clusters;
  return {index / of_matrix, (in_group / width * sharers + place.sharer) * block_rows,
          (first + in_group % width) * tokens};
}
