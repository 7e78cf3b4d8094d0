// The rings of stages of W and of A, the layout of a block's shared memory, and which part of the product a block has.
// Macros:
//   STREAM_ELEMENT_BYTES  of A and W: 1 or 2
//   STREAM_W_STAGES       stages of W's ring, and STREAM_A_STAGES of A's; each holds 128 bytes of K of each row
//   STREAM_AHEAD          asks for the first weights early, into the L2 cache
//   STREAM_PACKED         weights are bricks (stream/arguments.h)
//   STREAM_OWN_BYTES      what a family keeps in shared memory beside this, for example scales; a multiple of 8
//   STREAM_SHARED_BYTES   all of it
// and those of stream/tile.cuh.
#pragma once

#include "gemmtune/kernels/stream/arguments.h"
#include "gemmtune/kernels/stream/tile.cuh"

using gemmtune::StreamArguments;

constexpr int w_stages = STREAM_W_STAGES;
constexpr int a_stages = STREAM_A_STAGES;
constexpr bool asks_ahead = STREAM_AHEAD;
constexpr bool is_packed = STREAM_PACKED;

constexpr int chunk_bytes = gemmtune::stream_chunk_bytes;
constexpr int chunk_k = chunk_bytes / STREAM_ELEMENT_BYTES;
constexpr int brick_bytes = gemmtune::stream_brick_bytes;
constexpr int w_stage_bytes = bricks * brick_bytes;
constexpr int a_stage_bytes = tokens * chunk_bytes;

/// Large sums that are sent take the place of both rings, once all blocks of the cluster have finished with theirs.
constexpr bool reuses_rings = consumers * far_bytes > gemmtune::stream_most_extra_bytes;

constexpr int a_at = w_stages * w_stage_bytes;
constexpr int rings_bytes = a_at + a_stages * a_stage_bytes;
constexpr int far_at = reuses_rings ? 0 : rings_bytes;
constexpr int far_end = far_at + consumers * far_bytes;
constexpr int own_at = far_end > rings_bytes ? far_end : rings_bytes;
constexpr int barriers_at = own_at + STREAM_OWN_BYTES;
static_assert(barriers_at % 8 == 0, "mbarriers need this alignment");
static_assert(barriers_at + 8 * (2 * w_stages + 2 * a_stages + consumers) == STREAM_SHARED_BYTES);
static_assert(w_stages % k_groups == 0 && a_stages % k_groups == 0, "warpgroups along K have stages of their own");

struct Shared {
  u32 base;
  __device__ u32 w(int stage) const { return base + stage * w_stage_bytes; }
  __device__ u32 a(int stage) const { return base + a_at + stage * a_stage_bytes; }
  __device__ u32 far_sums() const { return base + far_at; }
  __device__ u32 own() const { return base + own_at; }
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

__device__ inline Place place_of(const StreamArguments& g, int rank) {
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
