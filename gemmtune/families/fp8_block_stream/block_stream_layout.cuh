// The constants of block_stream.cu, the layout of a block's shared memory, and which part of the product a block has.
// Macros, set by block_stream_gemm.cpp:
//   STREAM_W_STAGES    stages of W's ring, and STREAM_A_STAGES of A's; each holds 128 of K
//   STREAM_AHEAD       asks for the first weights early, into the L2 cache
//   STREAM_PACKED      weights are bricks (block_stream_arguments.h)
//   STREAM_REGISTERS   of a thread at the start. Where STREAM_MANY_REGISTERS is not 0, threads that multiply get that
//                      many, from those that copy
//   STREAM_SHARED_BYTES, STREAM_BIAS
// and those of output_element.cuh and stream/tile.cuh.
#pragma once

#include "gemmtune/families/fp8_block_stream/block_stream_arguments.h"
#include "gemmtune/kernels/stream/tile.cuh"

using Arguments = gemmtune::BlockStreamArguments;

constexpr int w_stages = STREAM_W_STAGES;
constexpr int a_stages = STREAM_A_STAGES;
constexpr bool asks_ahead = STREAM_AHEAD;
constexpr bool is_packed = STREAM_PACKED;

constexpr int brick_bytes = gemmtune::block_brick_bytes;
constexpr int w_stage_bytes = bricks * brick_bytes;
constexpr int a_stage_bytes = tokens * chunk_k;

/// The scales of a stage of A: one for each row of A, then one for each 64 rows of W.
constexpr int scales = tokens + 4;
static_assert(bricks <= 4);

/// Large sums that are sent take the place of both rings, once all blocks of the cluster have finished with theirs.
constexpr bool reuses_rings = consumers * far_bytes > gemmtune::block_stream_most_extra_bytes;

constexpr int a_at = w_stages * w_stage_bytes;
constexpr int rings_bytes = a_at + a_stages * a_stage_bytes;
constexpr int far_at = reuses_rings ? 0 : rings_bytes;
constexpr int far_end = far_at + consumers * far_bytes;
constexpr int scales_at = far_end > rings_bytes ? far_end : rings_bytes;
constexpr int barriers_at = scales_at + a_stages * scales * 4;
static_assert(barriers_at + 8 * (2 * w_stages + 2 * a_stages + consumers) == STREAM_SHARED_BYTES);
static_assert(w_stages % k_groups == 0 && a_stages % k_groups == 0, "warpgroups along K have stages of their own");

struct Shared {
  u32 base;
  __device__ u32 w(int stage) const { return base + stage * w_stage_bytes; }
  __device__ u32 a(int stage) const { return base + a_at + stage * a_stage_bytes; }
  __device__ u32 far_sums() const { return base + far_at; }
  __device__ u32 scale(int a_stage, int i) const { return base + scales_at + (a_stage * scales + i) * 4; }
  __device__ u32 w_full(int stage) const { return base + barriers_at + 8 * stage; }
  __device__ u32 w_empty(int stage) const { return w_full(w_stages + stage); }
  __device__ u32 a_full(int stage) const { return w_full(2 * w_stages + stage); }
  __device__ u32 a_empty(int stage) const { return a_full(a_stages + stage); }
  __device__ u32 far_full(int warpgroup) const { return a_full(2 * a_stages + warpgroup); }
};

/// What a block computes: block_rows rows of W from `row` on, over `count` chunks of K from `first` on.
struct Place {
  int k_block;
  int sharer;
  int batch;
  int row;
  int first;
  int count;
};

__device__ inline Place place_of(const Arguments& g, int rank) {
  const int unit = blockIdx.x / cluster;
  const int k_block = rank / sharers;
  const int sharer = rank % sharers;
  const int first = g.chunks * k_block / k_blocks;
  return {k_block,
          sharer,
          unit / g.row_clusters,
          (unit % g.row_clusters * sharers + sharer) * block_rows,
          first,
          g.chunks * (k_block + 1) / k_blocks - first};
}
