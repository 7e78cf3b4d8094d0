// Hopper's instructions for TMA, mbarriers, clusters and wgmma, for which CUDA C++ has no functions. Functions are
// named after the PTX instructions. Addresses in shared memory are 32-bit numbers; `cluster` is the number of blocks in
// a cluster.
#pragma once

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

/// Stays between the waits and arrivals around it.
__device__ __forceinline__ float load_shared(unsigned at) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(at));
  return value;
}

// mbarriers.

__device__ __forceinline__ void mbarrier_init(unsigned barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count));
}
/// Called after all mbarrier_init(): makes the mbarriers visible to TMA and to the other blocks of the cluster.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void mbarrier_arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives, and makes the current phase also wait for this many bytes from TMA.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/// Waits until the phase of this parity has completed.
__device__ __forceinline__ void mbarrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
/// Whether that phase has completed. If it has, what was written before is visible, as after a wait.
__device__ __forceinline__ bool mbarrier_test(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile(
      "{\n.reg .pred done;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

// TMA: copies of boxes of tensors (device/gpu/tensor_map.h), each issued by one thread.

struct alignas(64) TensorMap {
  char bytes[128];
};
__device__ __forceinline__ void tma_load(const TensorMap& map, unsigned barrier, unsigned to, int k, int row,
                                         int batch) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::
          "r"(to),
      "l"(&map), "r"(barrier), "r"(k), "r"(row), "r"(batch)
      : "memory");
}
/// Loads to the same place in each block of `mask`. The bytes count on the mbarrier at the same place in that block.
__device__ __forceinline__ void tma_load_multicast(const TensorMap& map, unsigned barrier, unsigned to, int k, int row,
                                                   int batch, unsigned short mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(k), "r"(row), "r"(batch), "h"(mask)
      : "memory");
}

/// Stores from shared memory to C, clipped at C's edges.
__device__ __forceinline__ void tma_store(const TensorMap& map, unsigned from, int column, int row, int batch) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(from),
               "r"(column), "r"(row), "r"(batch)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all but the last `pending` of this thread's stores have read their part of shared memory.
template <int pending>
__device__ __forceinline__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
/// Called after ordinary writes to shared memory, before TMA or wgmma reads them.
__device__ __forceinline__ void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Matrices of 8 rows × 16 bytes, four at once. Lanes 0-7, 8-15, 16-23 and 24-31 give the addresses of the rows of one
// each. Of each row, lanes hold 4 bytes: lane 4 · row + i has the i-th.

__device__ __forceinline__ void ldmatrix(unsigned (&matrices)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void stmatrix(unsigned to, unsigned first, unsigned second, unsigned third,
                                         unsigned fourth) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(first), "r"(second),
               "r"(third), "r"(fourth)
               : "memory");
}
/// Stores the matrices transposed: what lanes 4 · row + i hold becomes elements of 2 bytes in column `row`.
__device__ __forceinline__ void stmatrix_transposed(unsigned to, unsigned first, unsigned second, unsigned third,
                                                    unsigned fourth) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(first),
               "r"(second), "r"(third), "r"(fourth)
               : "memory");
}

// Clusters.

template <int cluster>
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
  if (cluster > 1) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// Waits for all threads of the cluster. Everything that they did before is then complete, also in other blocks'
/// memory.
template <int cluster>
__device__ __forceinline__ void cluster_sync() {
  if (cluster == 1) {
    __syncthreads();
  } else {
    __syncwarp();  // .aligned: whole warps
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
}
/// The address of the same place in the shared memory of block `rank` of the cluster.
__device__ __forceinline__ unsigned mapa(unsigned address, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

/// Arrives on the mbarrier of any block of the cluster; `remote` is from mapa(). The arrival says that this thread has
/// finished reading. What the thread has written need not be visible there. Like every access to another block's
/// memory, it must have completed before that block exits.
__device__ __forceinline__ void mbarrier_arrive_remote(unsigned remote) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
}

// The tensor cores: wgmma itself is in wgmma_instruction.cuh and wgmma_from_registers.cuh.

__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit_group() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `pending` groups are incomplete.
template <int pending = 0>
__device__ __forceinline__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
