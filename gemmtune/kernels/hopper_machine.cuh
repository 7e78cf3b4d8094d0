// Instructions of Hopper's that the language has no word for, for kernels that copy in bulk and multiply by wgmma.
// Addresses in shared memory are numbers. `cluster` is the number of blocks in one.
#pragma once

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Barriers in shared memory.

__device__ __forceinline__ void barrier_init(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count));
}
/// After all barriers_init(): copies and other blocks see them.
__device__ __forceinline__ void barriers_are_ready() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void barrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Copies of boxes of tensors (device/gpu/tensor_map.h), by one thread.

struct alignas(64) TensorMap {
  char bytes[128];
};
__device__ __forceinline__ void copy_tensor(const TensorMap& map, unsigned barrier, unsigned to, int k, int row,
                                            int batch) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::
          "r"(to),
      "l"(&map), "r"(barrier), "r"(k), "r"(row), "r"(batch)
      : "memory");
}
/// To the same place in each block of `mask`, whose barriers at the same place hear of it.
__device__ __forceinline__ void multicast_tensor(const TensorMap& map, unsigned barrier, unsigned to, int k, int row,
                                                 int batch, unsigned short mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(k), "r"(row), "r"(batch), "h"(mask)
      : "memory");
}

// Clusters.

template <int cluster>
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
  if (cluster > 1) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// All threads of the cluster meet. What each of them did before is done, in the memory of other blocks as well.
template <int cluster>
__device__ __forceinline__ void sync_cluster() {
  if (cluster == 1) {
    __syncthreads();
  } else {
    __syncwarp();  // .aligned: whole warps
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
}
/// The same place in the shared memory of that block of the cluster.
__device__ __forceinline__ unsigned in_block(unsigned address, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

// The tensor cores.

__device__ __forceinline__ void tensor_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void tensor_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Until at most so many of the groups are under way.
template <int pending = 0>
__device__ __forceinline__ void tensor_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
