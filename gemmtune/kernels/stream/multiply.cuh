// The warpgroups that multiply chunks of K as they arrive in the rings (stream/rings.cuh): 64 rows of W are wgmma's
// first operand, the tokens its second.
#pragma once

#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/stream/reduce.cuh"
#include "gemmtune/kernels/stream/rings.cuh"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_instruction.cuh"

/// Sums that the tensor core has written since are read after this, not before.
__device__ inline void pin(float (&sums)[held]) {
#pragma unroll
  for (int i = 0; i < held; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

/// A warpgroup that multiplies: its rows of W within the block, and its turn along K.
struct Multiplier {
  const Shared& shared;
  const Place& place;
  int group;
  int k_group;

  __device__ Reducer reducer() const {
    return {shared.far_sums(), shared.far_full(0), group, k_group, place.k_block, place.sharer};
  }

  /// Tells the warps that copy that this warp has read chunk i; of A, those of all blocks that load parts of it. Those
  /// that would not wait for it any more are not told, because they may have ended.
  __device__ void release(int i, int w_stage, int a_stage) const {
    __syncwarp();
    const int lane = threadIdx.x % 32;
    if (lane == 0 && i + w_stages < place.count) mbarrier_arrive(shared.w_empty(w_stage));
    if (i + a_stages >= place.count) return;
    if (sharers == 1) {
      if (lane == 0) mbarrier_arrive(shared.a_empty(a_stage));
    } else if (lane < sharers) {
      mbarrier_arrive_remote(mapa(shared.a_empty(a_stage), rank_of(place.k_block, lane)));
    }
  }

  /// Gives the tensor core the instructions for the products of 64 rows of W with one chunk of K.
  __device__ void issue(float (&sums)[held], int w_stage, int a_stage, int sub, bool adds) const {
    const u64 w = wgmma_descriptor(shared.w(w_stage) + (group * subtiles + sub) * brick_bytes, wgmma_swizzled_128);
    const u64 a = wgmma_descriptor(shared.a(a_stage), wgmma_swizzled_128);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; ++k) wgmma_ss(sums, w + 2 * k, a + 2 * k, adds || k > 0);
  }

  /// Writes the sums of one chunk.
  __device__ void start(float (&sums)[held], int w_stage, int a_stage, int sub) const {
    issue(sums, w_stage, a_stage, sub, false);
    wgmma_commit_group();
  }

  /// Calls chunk(w_stage, a_stage) for each chunk of this warpgroup, which has been read when that returns.
  template <typename Chunk>
  __device__ void each_chunk(Chunk chunk) const {
    Ring<w_stages> w = {k_group, 0};
    Ring<a_stages> a = {k_group, 0};
#pragma unroll 1
    for (int i = k_group; i < place.count; i += k_groups) {
      mbarrier_wait(shared.w_full(w.stage), w.phase);
      mbarrier_wait(shared.a_full(a.stage), a.phase);
      chunk(w.stage, a.stage);
      release(i, w.stage, a.stage);
      w.advance(k_groups);
      a.advance(k_groups);
    }
  }

  /// Adds the products of all chunks of this warpgroup to totals, which stay in the tensor core's hands: it has the
  /// instructions for one chunk while it works on the one before. So a warpgroup waits for a chunk before it has
  /// released the last one, and needs two stages of each ring.
  __device__ void multiply_in_place(float (&totals)[subtiles][held]) const {
    if (k_group >= place.count) return;  // or else the compiler would see zeros on their way into the last wait
    Ring<w_stages> w = {k_group, 0};
    Ring<a_stages> a = {k_group, 0};
    int last_w = 0;
    int last_a = 0;
#pragma unroll 1
    for (int i = k_group; i < place.count; i += k_groups) {
      mbarrier_wait(shared.w_full(w.stage), w.phase);
      mbarrier_wait(shared.a_full(a.stage), a.phase);
#pragma unroll
      for (int sub = 0; sub < subtiles; ++sub) issue(totals[sub], w.stage, a.stage, sub, true);
      wgmma_commit_group();
      wgmma_wait_group<1>();
      if (i != k_group) release(i - k_groups, last_w, last_a);
      last_w = w.stage;
      last_a = a.stage;
      w.advance(k_groups);
      a.advance(k_groups);
    }
    wgmma_wait_group<0>();
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub) pin(totals[sub]);
  }
};
