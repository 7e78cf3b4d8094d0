// What a block of the kernels that stream W through shared memory does: warpgroups multiply, one warp copies W, another
// one A, 128 bytes of K of each row at a time. W has a ring of its own, because it can be asked for early and far
// ahead. Warpgroups of a block, and blocks of a cluster, take different parts of K. At the end each sends most of its
// sums to the others, and adds up and writes a share of C.
//
// A family's kernel says what happens with the sums of a chunk and with those of all chunks. Macros:
//   STREAM_REGISTERS   of a thread at the start. Where STREAM_MANY_REGISTERS is not 0, threads that multiply get that
//                      many, from those that copy
// and those of stream/rings.cuh.
#pragma once

#include "gemmtune/kernels/stream/copy.cuh"
#include "gemmtune/kernels/stream/multiply.cuh"

/// Called by one thread. `arrivals` are those that complete a stage of A: one with the bytes, and the family's own.
__device__ inline void init_ring_barriers(const Shared& shared, int arrivals) {
#pragma unroll
  for (int stage = 0; stage < w_stages; ++stage) {
    mbarrier_init(shared.w_full(stage), 1);
    mbarrier_init(shared.w_empty(stage), 4 * row_groups);
  }
#pragma unroll
  for (int stage = 0; stage < a_stages; ++stage) {
    mbarrier_init(shared.a_full(stage), arrivals);
    mbarrier_init(shared.a_empty(stage), 4 * row_groups * sharers);
  }
#pragma unroll
  for (int warpgroup = 0; warpgroup < consumers; ++warpgroup) mbarrier_init(shared.far_full(warpgroup), 1);
}

/// multiply() adds all products of the warpgroup to totals, after all earlier kernels have ended. Afterwards the sums
/// can be sent: Reducer::reduce().
template <typename Multiply>
__device__ void sum_up(float (&totals)[subtiles][held], Multiply multiply) {
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int i = 0; i < held; ++i) totals[sub][i] = 0;
  pdl_wait();
  multiply();
  if (reuses_rings) cluster_sync<cluster>();
}

/// All of a kernel. Work has
///   init_barriers(shared)        called by one thread
///   copy_activations(copier)     called by a warp
///   multiply(multiplier)         called by a warpgroup; calls sum_up()
template <typename Work>
__device__ void run_block(const TensorMap& a, const TensorMap& w, const StreamArguments& g, const Work& work) {
  extern __shared__ __align__(1024) u8 memory[];
  const Shared shared = {shared_address(memory)};
  if (shared.base % 1024 != 0) __trap();                           // the swizzles need this alignment
  const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);  // uniform in a warp, as the compiler must see
  const Place place = place_of(g, cluster_rank<cluster>());
  const Copier copier = {shared, a, w, g, place, (int)threadIdx.x % 32};
  pdl_launch_dependents();
  if (warp == 4 * consumers) {
    if (asks_ahead && !is_packed) copier.ask_ahead();
    if (copier.lane == 0) {
      work.init_barriers(shared);
      fence_mbarrier_init();
      if (is_packed) load_first_weights(copier);
    }
    __syncwarp();
  }
  cluster_sync<cluster>();
  if (warp < 4 * consumers) {
#if STREAM_MANY_REGISTERS
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(STREAM_MANY_REGISTERS));
#endif
    work.multiply({shared, place, warp / 4 % row_groups, warp / 4 / row_groups});
  } else {
#if STREAM_MANY_REGISTERS
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(gemmtune::stream_few_registers));
#endif
    if (warp == 4 * consumers && copier.lane == 0) copy_weights(copier);
    if (warp == 4 * consumers + 1) work.copy_activations(copier);
    __syncwarp();
    if (reuses_rings) cluster_sync<cluster>();
  }
  cluster_sync_before_exit<cluster>();
}
