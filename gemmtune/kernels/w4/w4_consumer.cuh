// A warpgroup that multiplies, as far as it is the same for all types of A.
#pragma once

#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/w4/w4_layout.cuh"

/// Its rows of W within the block, its turn along K, and its position in the ring.
struct Consumer {
  const Shared& shared;
  int group;
  int k_group;
  int left;  // chunks of the block, from the one at `ring` on
  Ring<stages> ring;

  /// Where the codes of the warpgroup's group `sub` of 64 rows are.
  __device__ u32 brick(int stage, int sub) const { return shared.brick(stage, group * subtiles + sub); }

  /// Where a stage of A is, divided by 16.
  __device__ u32 activations(int stage) const { return (shared.base >> 4) + stage * (a_stage_bytes / 16); }

  /// Tells the threads that copy that this warp has read a stage, with chunks_left chunks from that one on: those of
  /// all blocks that load parts of it. Those that would not wait for it any more are not told, because they may have
  /// ended.
  __device__ void release(int stage, int chunks_left) const {
    __syncwarp();
    const int lane = threadIdx.x % 32;
    if (chunks_left <= stages) return;
    if (sharers == 1) {
      if (lane == 0) mbarrier_arrive(shared.empty(stage));
    } else if (lane < sharers) {
      const u32 first = cluster_rank<cluster>() / sharers * sharers;
      mbarrier_arrive_remote(mapa(shared.empty(stage), first + lane));
    }
  }
};

/// Four steps of wgmma's first operand.
struct Fragments {
  u32 step[4][4];
};

/// Keeps the compiler from moving the expansion of codes to after the fence.
__device__ inline void pin(u32 (&registers)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(registers[i])::"memory");
}
__device__ inline void pin(Fragments& f) {
#pragma unroll
  for (int step = 0; step < 4; ++step) pin(f.step[step]);
}

/// Sums that the tensor core has written since are read after this, not before.
template <int count>
__device__ inline void pin(float (&sums)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}
