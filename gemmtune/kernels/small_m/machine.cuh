// Instructions that only skinny.cu and fused.cu need; the others stand in hopper_machine.cuh.
#pragma once

#include "gemmtune/kernels/integers.cuh"

__device__ inline void barrier_wait_cluster(u32 barrier, u32 parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@p bra "
      "done;\nbra again;\ndone:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
/// Whoever waits for the barrier sees what this thread wrote before, in the memory of whichever block.
__device__ inline void barrier_arrive_far(u32 there) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
/// Says that this thread has read; what it has written need not be seen. Like every access to another block's memory
/// it must be waited for there (see leave_cluster).
__device__ inline void barrier_free_far(u32 there) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
/// At the end of a kernel: no block ends before all blocks of its cluster are here.
///
/// The barrier is relaxed: stores and arrivals in another block's memory may still be on their way when the thread that
/// made them is here, and a block that has ended by the time they come makes the launch fail. So each of them must be
/// waited for, before it gets here, by the block whose memory it is in. What nobody waits for must not be sent.
/// (.release would wait for all of them, and for all that was written to C as well.)
template <int cluster>
__device__ inline void leave_cluster() {
  if (cluster == 1) return;
  __syncwarp();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
/// To another block's memory. Seen there by those who wait for a barrier_arrive_far() of this thread.
__device__ inline void store_far(u32 there, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(value) : "memory");
}
/// 16 bytes that the barrier, in the same block as their place, counts as they arrive.
__device__ inline void send_far(u32 there, float4 values, u32 barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(there),
      "f"(values.x), "f"(values.y), "f"(values.z), "f"(values.w), "r"(barrier)
      : "memory");
}
__device__ inline void copy_bulk(u32 to, const u8* from, u32 bytes, u32 barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}
/// 16, 8 or 4 bytes by one thread, or as many zeros.
template <int bytes>
__device__ inline void copy_small(u32 to, const u8* from, bool valid) {
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid ? 16 : 0) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes),
                 "r"(valid ? bytes : 0)
                 : "memory");
}
__device__ inline void barrier_arrive_when_copied(u32 barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
__device__ inline void wait_named(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ inline void arrive_named(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ inline uint4 shared_load4(u32 at) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
  return v;
}
__device__ inline uint2 shared_load2(u32 at) {
  uint2 v;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at));
  return v;
}
__device__ inline float2 shared_load2f(u32 at) {
  float2 v;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at));
  return v;
}
__device__ inline float shared_loadf(u32 at) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
  return v;
}
__device__ inline void shared_store4(u32 at, uint4 v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
__device__ inline void shared_storef(u32 at, float v) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}
__device__ inline u32 shared_load_byte(u32 at) {
  u32 v;
  asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(at));
  return v;
}
__device__ inline void shared_store_byte(u32 at, u32 v) {
  asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

/// prmt, as it is: __byte_perm() would mask the selectors again.
struct Picker {
  __device__ u32 operator()(u32 low, u32 high, u32 selectors) const {
    u32 picked;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(low), "r"(high), "r"(selectors));
    return picked;
  }
};
