// Instructions that only the small-M kernels need. kernels/sm90_ptx.cuh has the others.
#pragma once

#include "gemmtune/kernels/integers.cuh"

__device__ inline void mbarrier_wait_cluster(u32 barrier, u32 parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@p bra "
      "done;\nbra again;\ndone:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
/// A thread that waits for the mbarrier sees what this thread wrote before, in any block's memory.
__device__ inline void mbarrier_arrive_release_cluster(u32 there) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
/// At the end of a kernel: no block exits before all blocks of its cluster have come here.
///
/// The barrier is relaxed. A thread's stores and arrivals in another block's memory may still be in flight when it
/// comes here, and if they reach a block that has exited, the launch fails. So each of them must have been waited for
/// by the block that it goes to, before that block comes here. What no block waits for must not be sent.
/// (.release would wait for all of them, but also for everything written to C.)
template <int cluster>
__device__ inline void cluster_sync_before_exit() {
  if (cluster == 1) return;
  __syncwarp();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
/// Stores to another block's memory. Threads there see the value after they have waited for this thread's
/// mbarrier_arrive_release_cluster().
__device__ inline void st_shared_cluster(u32 there, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(value) : "memory");
}
/// Stores 16 bytes to another block's memory. They count on `barrier`, which is in that block too.
__device__ inline void st_async(u32 there, float4 values, u32 barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(there),
      "f"(values.x), "f"(values.y), "f"(values.z), "f"(values.w), "r"(barrier)
      : "memory");
}
__device__ inline void bulk_load(u32 to, const u8* from, u32 bytes, u32 barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}
/// Copies 16, 8 or 4 bytes with one thread. If `valid` is false, writes that many zeros.
template <int bytes>
__device__ inline void cp_async(u32 to, const u8* from, bool valid) {
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid ? 16 : 0) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes),
                 "r"(valid ? bytes : 0)
                 : "memory");
}
__device__ inline void cp_async_mbarrier_arrive(u32 barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void named_barrier_sync(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ inline void named_barrier_arrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ inline uint4 ld_shared_v4(u32 at) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
  return v;
}
__device__ inline uint2 ld_shared_v2(u32 at) {
  uint2 v;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
  return v;
}
__device__ inline float2 ld_shared_v2_f32(u32 at) {
  float2 v;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at));
  return v;
}
__device__ inline float ld_shared_f32(u32 at) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
  return v;
}
__device__ inline void st_shared_v4(u32 at, uint4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
__device__ inline void st_shared_f32(u32 at, float v) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}
__device__ inline u32 ld_shared_u8(u32 at) {
  u32 v;
  asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(at));
  return v;
}
__device__ inline void st_shared_u8(u32 at, u32 v) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

/// The prmt instruction. __byte_perm() would mask the selectors again.
struct Prmt {
  __device__ u32 operator()(u32 low, u32 high, u32 selectors) const {
    u32 picked;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(low), "r"(high), "r"(selectors));
    return picked;
  }
};
