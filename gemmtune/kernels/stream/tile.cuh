// How the kernels divide a product whose first wgmma operand is rows of W and whose second is rows of A ("tokens"), and
// how its sums are cut into pieces. Macros:
//   STREAM_TOKENS      rows of A in a tile: a multiple of 8 up to 256
//   STREAM_ROW_GROUPS  warpgroups side by side, and STREAM_SUBTILES groups of 64 rows of W of each
//   STREAM_K_GROUPS    warpgroups that take turns along K
//   STREAM_K_BLOCKS    blocks of a cluster that split K
//   STREAM_SHARERS     blocks of a cluster with the same part of K, which share A by multicast
#pragma once

#include "gemmtune/kernels/integers.cuh"

constexpr int tokens = STREAM_TOKENS;
constexpr int row_groups = STREAM_ROW_GROUPS;
constexpr int subtiles = STREAM_SUBTILES;
constexpr int k_groups = STREAM_K_GROUPS;
constexpr int k_blocks = STREAM_K_BLOCKS;
constexpr int sharers = STREAM_SHARERS;

constexpr int cluster = k_blocks * sharers;
constexpr int parts = k_blocks * k_groups;        // of K
constexpr int consumers = row_groups * k_groups;  // warpgroups that multiply
constexpr int bricks = row_groups * subtiles;     // of 64 rows of W
constexpr int block_rows = 64 * bricks;

/// A warpgroup's sums are handed over in pieces of 64 rows × 8 tokens, four floats of each thread.
constexpr int held = tokens / 2;  // accumulators of a thread for 64 rows
constexpr int eights = tokens / 8;
constexpr int pieces = subtiles * eights;
constexpr int piece_bytes = 128 * 16;
constexpr int finished_pieces = (pieces + parts - 1) / parts;  // by one of the warpgroups that split K, at most
constexpr int far_bytes = finished_pieces * (parts - 1) * piece_bytes;

/// The rank in its cluster of the block with this part of K and of A.
__device__ inline u32 rank_of(int k_block, int sharer) { return k_block * sharers + sharer; }

/// A position in a ring of `count` stages: the stage, and the parity of its mbarriers' phase.
template <int count>
struct Ring {
  int stage;
  u32 phase;
  __device__ void advance(int by) {
    stage += by;
    if (stage < count) return;
    stage -= count;
    phase ^= 1;
  }
};
