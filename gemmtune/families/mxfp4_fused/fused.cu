// C = A · Wᵀ for rows of A that were folded to e4m3 before (kernels/fold.h). Weights stay 4-bit in memory, pass once
// through shared memory, and become e4m3 in the registers from which wgmma takes its first operand. C is therefore
// computed transposed, as in skinny.cu: 64 rows of W are wgmma's M, the rows of A its N.
//
// A block has a thread that copies W and A, 128 of K at a time, and warpgroups that multiply, 64 rows of W each. A
// warpgroup expands one chunk while the tensor core multiplies the one before, and reads the one after. Blocks of a
// cluster share rows and split K. Sums move to float after 512 of K.

#include "gemmtune/families/mxfp4_fused/fused_layout.cuh"
#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/bits.h"
#include "gemmtune/kernels/small_m/epilogue.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_from_registers.cuh"

// ---- copying, by one thread

struct Copier {
  const Shared& shared;
  const TensorMap& a;
  const u8* packed;
  const Sizes& s;

  __device__ void copy_weights(const Tile& tile, int chunk, int stage) const {
    const u32 full = shared.full(stage);
    mbarrier_arrive_expect_tx(full, w_stage_bytes + a_stage_bytes);
#pragma unroll
    for (int group = 0; group < row_groups; ++group) {
      const int w_tile = min(tile.w_tile + group, s.w_tiles - 1);
      const i64 brick = ((i64)tile.batch * s.w_tiles + w_tile) * chunks_of(s) + chunk;
      bulk_load(shared.w(stage, group), packed + brick * brick_bytes, brick_bytes, full);
    }
  }
  __device__ void copy_activations(const Tile& tile, int chunk, int stage) const {
    tma_load(a, shared.full(stage), shared.a(stage), chunk * chunk_k, tile.m_tile * tile_m, tile.batch);
  }
};

/// Loads the first weights without waiting, because no earlier kernel writes them. Loading more would delay the data
/// that the fold is still reading.
__device__ inline void copy_first_weights(const Copier& copier) {
  const Part part = part_of(copier.s, cluster_rank<cluster>());
  const Tile tile = tile_at(copier.s, blockIdx.x / cluster);
#pragma unroll 1
  for (int i = 0; i < min(early, part.count); ++i) copier.copy_weights(tile, part.first + i, i);
}

__device__ inline void copy(const Copier& copier) {
  const Part part = part_of(copier.s, cluster_rank<cluster>());
  int ahead = min(early, part.count);
  Ring ring = {0, 1};
  pdl_wait();
  for (int index = blockIdx.x / cluster; index < tile_count(copier.s); index += gridDim.x / cluster) {
    const Tile tile = tile_at(copier.s, index);
#pragma unroll 1
    for (int i = 0; i < part.count; ++i) {
      if (--ahead < 0) {
        mbarrier_wait(copier.shared.empty(ring.stage), ring.phase);
        copier.copy_weights(tile, part.first + i, ring.stage);
      }
      copier.copy_activations(tile, part.first + i, ring.stage);
      ring.next();
    }
  }
}

// ---- multiplying

/// What a thread reads of 64 rows × 128 of K: packed codes, and the shifts of its two rows' blocks.
struct Codes {
  uint4 words[2];
  uint2 shifts;
};

/// The expanded codes: wgmma's first operand for four steps.
struct Fragments {
  u32 step[4][4];
};

__device__ inline Codes load_codes(u32 brick, int thread) {
  const u32 at = brick + thread * 16;
  return {{ld_shared_v4(at), ld_shared_v4(at + 2048)}, ld_shared_v2(brick + 4096 + thread / 4 * 8)};
}

__device__ inline void expand(Fragments& f, const Codes& codes) {
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    const uint4& words = codes.words[step / 2];
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const u32 word = step % 2 == 0 ? (row == 0 ? words.x : words.y) : (row == 0 ? words.z : words.w);
      const u32 shift = Prmt{}(row == 0 ? codes.shifts.x : codes.shifts.y, 0, 0x4440 | step);
      const auto bytes = gemmtune::unpack_looked_up(word, gemmtune::e4m3_magnitudes(shift), Prmt{});
      f.step[step][row] = bytes.first;
      f.step[step][2 + row] = bytes.second;
    }
  }
}

/// Keeps the compiler from moving the expansion of codes to after the fence.
__device__ inline void pin(Fragments& f) {
#pragma unroll
  for (int step = 0; step < 4; ++step)
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(f.step[step][i])::"memory");
}

/// A warpgroup that multiplies, and its positions in the pipeline.
struct Multiplier {
  const Shared& shared;
  int group;
  Ring ring{0, 0};   // what is multiplied next
  Ring ahead{0, 0};  // what is read next

  __device__ Codes read() {
    mbarrier_wait(shared.full(ahead.stage), ahead.phase);
    const Codes codes = load_codes(shared.w(ahead.stage, group), threadIdx.x % 128);
    ahead.next();
    return codes;
  }
  /// Releases the stage before ring.stage.
  __device__ void release_last() const {
    __syncwarp();
    if (threadIdx.x % 32 == 0) mbarrier_arrive(shared.empty(ring.stage == 0 ? stages - 1 : ring.stage - 1));
  }

  template <bool adds>
  __device__ void start(float (&sums)[held], Fragments& f) {
    const u32 a = (shared.base >> 4) + ring.stage * (a_stage_bytes / 16);
    pin(f);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step)
      wgmma_rs(sums, f.step[step], wgmma_swizzled_descriptor(a + 2 * step), adds || step > 0);
    wgmma_commit_group();
  }

  /// Starts the products of a chunk. Meanwhile it expands the next chunk and reads the one after that. `left` counts
  /// all three.
  template <bool first>
  __device__ void step(float (&sums)[held], Fragments& now, Fragments& next, Codes& codes, int left) {
    start<!first>(sums, now);
    if (!first) {
      wgmma_wait_group<1>();
      release_last();
    }
    ring.next();
    if (left > 1) expand(next, codes);
    if (left > 2) codes = read();
  }

  /// Adds the sums of `count` chunks.
  __device__ void multiply_chunks(float (&totals)[held], int count) {
    if (count == 0) return;
    Fragments even;
    Fragments odd;
    float sums[held];
    Codes codes = read();
    expand(even, codes);
    codes = read();
    for (int left = count; left > 0;) {
#pragma unroll
      for (int pair = 0; pair < promote / 2; ++pair) {
        if (left <= 0) break;
        if (pair == 0)
          step<true>(sums, even, odd, codes, left);
        else
          step<false>(sums, even, odd, codes, left);
        step<false>(sums, odd, even, codes, left - 1);
        left -= 2;
      }
      wgmma_wait_group<0>();
      release_last();
#pragma unroll
      for (int i = 0; i < held; ++i) asm volatile("" : "+f"(sums[i])::"memory");
#pragma unroll
      for (int i = 0; i < held; ++i) totals[i] += sums[i];
    }
  }
};

struct Reduction {
  u32 phase = 0;
  bool last = false;  // whether this is the last tile
};

/// Adds the sums of the blocks that split K, always in the same order. Returns whether this thread has elements to
/// write.
///
/// The block that finishes a group waits at far_full for all bytes sent to it before it reads them. The others wait at
/// far_empty for the arrivals after one tile before they send the sums of the next. After the last tile no block would
/// wait, so nothing is sent.
__device__ inline bool reduce(float (&totals)[held], const Shared& shared, int group, Reduction& state) {
  if (cluster == 1) return true;
  const int thread = threadIdx.x % 128;
  const int finisher = group % cluster;
  const int slot = ((int)cluster_rank<cluster>() - finisher + cluster) % cluster;  // 0 is the finisher's slot
  if (slot > 0) {
    mbarrier_wait_cluster(shared.far_empty(group), state.phase ^ 1);
    state.phase ^= 1;
    const u32 there = mapa(shared.far_sums(group, slot - 1), finisher) + thread * 16;
    const u32 full = mapa(shared.far_full(group), finisher);
#pragma unroll
    for (int i = 0; i < held; i += 4)
      st_async(there + i / 4 * 128 * 16, {totals[i], totals[i + 1], totals[i + 2], totals[i + 3]}, full);
    return false;
  }
  if (thread == 0) mbarrier_arrive_expect_tx(shared.far_full(group), (cluster - 1) * sums_bytes);
  mbarrier_wait_cluster(shared.far_full(group), state.phase);
  state.phase ^= 1;
  for (int other = 1; other < cluster; ++other)
#pragma unroll
    for (int i = 0; i < held; i += 4) {
      const uint4 four = ld_shared_v4(shared.far_sums(group, other - 1) + (i / 4 * 128 + thread) * 16);
      totals[i] += __uint_as_float(four.x);
      totals[i + 1] += __uint_as_float(four.y);
      totals[i + 2] += __uint_as_float(four.z);
      totals[i + 3] += __uint_as_float(four.w);
    }
  if (!state.last)
    for (int other = 1; other < cluster; ++other)
      mbarrier_arrive_remote(mapa(shared.far_empty(group), (finisher + other) % cluster));
  return true;
}

__device__ inline void multiply_tiles(const Shared& shared, const EpilogueArguments& results, const Sizes& s,
                                      int group) {
  const int thread = threadIdx.x % 128;
  Multiplier multiplier = {shared, group};
  Reduction reduction;
  const int count = part_of(s, cluster_rank<cluster>()).count;
  for (int index = blockIdx.x / cluster; index < tile_count(s); index += gridDim.x / cluster) {
    const Tile tile = tile_at(s, index);
    float totals[held];
#pragma unroll
    for (int i = 0; i < held; ++i) totals[i] = 0;
    multiplier.multiply_chunks(totals, count);
    const Corner corner = corner_of(results, s, tile, group, thread);
    const Factors factors = load_factors(results, s, tile, corner);
    reduction.last = is_last_tile(s, index);
    if (reduce(totals, shared, group, reduction)) write(results, s, corner, factors, totals);
  }
}

/// Called by one thread.
__device__ inline void init_barriers(const Shared& shared) {
#pragma unroll
  for (int stage = 0; stage < stages; ++stage) {
    mbarrier_init(shared.full(stage), 1);
    mbarrier_init(shared.empty(stage), 4 * row_groups);
  }
#pragma unroll
  for (int group = 0; group < row_groups; ++group) {
    mbarrier_init(shared.far_full(group), 1);
    mbarrier_init(shared.far_empty(group), 128);
  }
  fence_mbarrier_init();
}

extern "C" __global__ void __maxnreg__(even_registers)
    multiply_fused(const __grid_constant__ TensorMap folded, const u8* a, const u8* a_scale, const float* a_base,
                   const u8* packed, const float* w_base, const Out* bias, Out* c, Sizes sizes) {
  extern __shared__ __align__(1024) u8 memory[];
  const Shared shared = {shared_address(memory)};
  if (shared.base % 1024 != 0) __trap();                             // the swizzles need this alignment
  const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);  // uniform in a warp, as the compiler must see
  pdl_launch_dependents();
  const Copier copier = {shared, folded, packed, sizes};
  if (threadIdx.x == 0) {
    init_barriers(shared);
    copy_first_weights(copier);
  }
  cluster_sync<cluster>();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(few_registers));
    if (threadIdx.x == 0) copy(copier);
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(many_registers));
    pdl_wait();
    multiply_tiles(shared, {a, a_scale, a_base, packed, w_base, bias, c}, sizes, group - 1);
  }
  cluster_sync_before_exit<cluster>();
}
