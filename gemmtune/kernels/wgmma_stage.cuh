// The ring of stages of wgmma_gemm.cu: its mbarriers, who says that a stage was read, and where wgmma finds operands.
#pragma once

#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_layout.cuh"

/// The two mbarriers of a stage. `full`: its data has arrived. `empty`: all consumers have read it.
__device__ __forceinline__ unsigned full(const Shared& shared, int stage) {
  return shared_address(&shared.full[stage]);
}
__device__ __forceinline__ unsigned empty(const Shared& shared, int stage) {
  return shared_address(&shared.empty[stage]);
}

/// The WGMMA descriptor of a tile with rows of 128 bytes of K and the 128-byte swizzle. Eight rows take 1024 bytes.
__device__ __forceinline__ unsigned long long tile_descriptor(const unsigned char* at) {
  return wgmma_descriptor(shared_address(at), wgmma_swizzled_128);
}

/// A thread's accumulators hold two rows of each subtile, 8 apart. This is the upper one.
__device__ __forceinline__ int row_in_subtile() { return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4; }

/// Tells the producer of every block that loads parts of this stage that the consumer warpgroup has read it. No
/// producer waits for the last of these arrivals; the cluster_sync() at the end of the kernel does.
///
/// wgmma reads for the whole warpgroup, so that one warp can tell for all. `empty` is the stage's mbarrier in this
/// block.
__device__ __forceinline__ void release(unsigned empty, const Place& place) {
  const int thread = threadIdx.x % 128;
  if (cluster == 1) {
    if (thread == 0) mbarrier_arrive(empty);
  } else if (thread < cluster && place.shares_with(thread)) {
    mbarrier_arrive_remote(mapa(empty, thread));
  }
}
__device__ __forceinline__ void release(Shared& shared, int stage, const Place& place) {
  release(empty(shared, stage), place);
}
