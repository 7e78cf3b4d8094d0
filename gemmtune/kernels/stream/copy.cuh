// The warps that copy W and A into their rings (stream/rings.cuh).
#pragma once

#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/stream/rings.cuh"

struct Copier {
  const Shared& shared;
  const TensorMap& a;
  const TensorMap& w;
  const StreamArguments& g;
  const Place& place;
  int lane;

  __device__ const u8* brick(int group, int chunk) const {
    const int brick_rows = (g.n + 63) / 64;
    const int at = min(place.row / 64 + group, brick_rows - 1);
    return g.bricks + (((i64)place.batch * brick_rows + at) * g.chunks + chunk) * brick_bytes;
  }

  /// Asks for the first weights, into the L2 cache. That is right at any time, also while another kernel writes them.
  __device__ void ask_ahead() const {
#pragma unroll 1
    for (int i = lane; i < min(w_stages, place.count); i += 32)
      asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global [%0, {%1, %2, %3}];" ::"l"(&w),
                   "r"((place.first + i) * chunk_k), "r"(place.row), "r"(place.batch)
                   : "memory");
  }

  /// Called by one lane.
  __device__ void load_weights(int i, int stage) const {
    const u32 full = shared.w_full(stage);
    mbarrier_arrive_expect_tx(full, w_stage_bytes);
    const int chunk = place.first + i;
    if (is_packed) {
#pragma unroll
      for (int group = 0; group < bricks; ++group)
        bulk_load(shared.w(stage) + group * brick_bytes, brick(group, chunk), brick_bytes, full);
    } else {
      tma_load(w, full, shared.w(stage), chunk * chunk_k, place.row, place.batch);
    }
  }

  /// Called by one lane. Loads this block's share of A's rows, for all blocks that share them.
  __device__ void load_activations(int i, int stage) const {
    constexpr int share = tokens / sharers;
    const u32 full = shared.a_full(stage);
    mbarrier_arrive_expect_tx(full, a_stage_bytes);
    const int first = place.sharer * share;
    const int k = (place.first + i) * chunk_k;
    const u32 to = shared.a(stage) + first * chunk_bytes;
    if constexpr (sharers > 1)
      tma_load_multicast(a, full, to, k, first, place.batch, (u16)(((1u << sharers) - 1) << rank_of(place.k_block, 0)));
    else
      tma_load(a, full, to, k, first, place.batch);
  }
};

/// Loads weights into the first stages, which are free. Packed weights are loaded without waiting, because no earlier
/// kernel on the stream writes them.
__device__ inline void load_first_weights(const Copier& copier) {
#pragma unroll 1
  for (int i = 0; i < min(w_stages, copier.place.count); ++i) copier.load_weights(i, i);
}

/// Called by one lane.
__device__ inline void copy_weights(const Copier& copier) {
  if (!is_packed) {
    pdl_wait();
    load_first_weights(copier);
  }
  Ring<w_stages> ring = {0, 0};
#pragma unroll 1
  for (int i = w_stages; i < copier.place.count; ++i) {
    mbarrier_wait(copier.shared.w_empty(ring.stage), ring.phase);
    copier.load_weights(i, ring.stage);
    ring.advance(1);
  }
}

/// Called by a warp, after pdl_wait(). All lanes call more(i, stage) for each chunk once its stage is free: for what
/// else belongs to the chunk.
template <typename More>
__device__ void copy_activations(const Copier& copier, More more) {
  Ring<a_stages> ring = {0, 1};
#pragma unroll 1
  for (int i = 0; i < copier.place.count; ++i) {
    if (i >= a_stages) mbarrier_wait(copier.shared.a_empty(ring.stage), ring.phase);
    if (copier.lane == 0) copier.load_activations(i, ring.stage);
    __syncwarp();
    more(i, ring.stage);
    ring.advance(1);
  }
}
