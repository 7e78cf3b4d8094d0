// C = A · Wᵀ for few rows of A. Weights stay 4-bit in memory, pass once through shared memory, and become e4m3 in the
// registers from which wgmma takes its first operand. C is therefore computed transposed: 64 rows of W are wgmma's M,
// and the rows of A are its N. Each block of 32 of K is summed separately, exactly, and then multiplied by both scales
// in float. skinny_gemm.h explains the parameters, and docs/mxfp4-on-hopper.md the method.
//
// A block has a warp that copies W, a warp that copies A, warps that convert A's codes to e4m3 (the rest of the first 4
// or 8), and warpgroups that multiply: `row_groups` side by side along W's rows, times `k_groups` that share rows and
// split K. Blocks of a cluster share rows, too. Units of 256 of K are distributed in turn to all that share rows.

#include "gemmtune/families/mxfp4_skinny/skinny_activations.cuh"
#include "gemmtune/families/mxfp4_skinny/skinny_layout.cuh"
#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/bits.h"
#include "gemmtune/kernels/small_m/epilogue.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_from_registers.cuh"

// ---- W: packed codes in registers

/// What a thread holds of 64 rows × 128 of K: wgmma's first operand of four steps, and the scales of its two rows.
struct Fragments {
  u32 step[4][4];
  uint2 scales;
};

__device__ inline void load_fragments(Fragments& f, u32 brick, int warp, int lane) {
  const u32 codes = brick + (warp * 32 + lane) * 16;
  f.scales = ld_shared_v2(brick + 4096 + (warp * 8 + lane / 4) * 8);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint4 words = ld_shared_v4(codes + half * 2048);
    const u32 of_step[2][2] = {{words.x, words.y}, {words.z, words.w}};
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const auto bytes = gemmtune::unpack_moved(of_step[i][row]);
        f.step[2 * half + i][row] = bytes.first;
        f.step[2 * half + i][2 + row] = bytes.second;
      }
  }
}

/// The scale of step `step`, from four scale bytes, which are exponents of f32.
__device__ inline float block_scale(u32 bytes, int step) {
  const u32 shifted = step == 3 ? bytes >> 1 : bytes << (23 - 8 * step);
  return __uint_as_float(shifted & 0x7f800000u);
}

// ---- the products

/// A's e4m3 is not swizzled: core matrices of 8 rows × 16 bytes, 128 bytes apart along K and 256 along M.
constexpr u64 a_layout = wgmma_layout({.leading_bytes = 128, .stride_bytes = 256, .swizzle = Swizzle::none});

/// The sums of each of four blocks of K.
struct Sums {
  float value[4][held];
};

__device__ inline void pin(Sums& sums) {
#pragma unroll
  for (int s = 0; s < 4; ++s)
#pragma unroll
    for (int i = 0; i < held; ++i) asm volatile("" : "+f"(sums.value[s][i])::"memory");
}

/// Keeps the compiler from moving the expansion of codes to after the fence.
__device__ inline void pin(Fragments& f) {
#pragma unroll
  for (int step = 0; step < 4; ++step)
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(f.step[step][i])::"memory");
}

__device__ inline void start_products(Sums& sums, Fragments& f, u32 a_chunk) {
  pin(f);
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step)
    wgmma_rs(sums.value[step], f.step[step], wgmma_descriptor(a_chunk + step * a_step_bytes, a_layout), false);
  wgmma_commit_group();
}

/// Adds the tensor core's sums, times the scales, to the sums in f32. a_scales is that of column 2(lane%4).
__device__ inline void promote(float (&total)[held], const float (&sum)[held], u32 a_scales, float upper, float lower) {
#pragma unroll
  for (int j = 0; j < tile_m / 8; ++j) {
    const float2 scale = ld_shared_v2_f32(a_scales + j * 32);
    total[4 * j] = fmaf(sum[4 * j], scale.x * upper, total[4 * j]);
    total[4 * j + 1] = fmaf(sum[4 * j + 1], scale.y * upper, total[4 * j + 1]);
    total[4 * j + 2] = fmaf(sum[4 * j + 2], scale.x * lower, total[4 * j + 2]);
    total[4 * j + 3] = fmaf(sum[4 * j + 3], scale.y * lower, total[4 * j + 3]);
  }
}

__device__ inline void finish_products(float (&total)[held], Sums& sums, const uint2& w_scales, u32 a_scales) {
  wgmma_wait_group();
  pin(sums);
#pragma unroll
  for (int step = 0; step < 4; ++step)
    promote(total, sums.value[step], a_scales + step * tile_m * 4, block_scale(w_scales.x, step),
            block_scale(w_scales.y, step));
}

/// Run by one thread: keeps every warpgroup's ring of W filled. No earlier kernel writes weights, so it waits for none.
__device__ inline void copy_weights(const Shared& shared, const u8* packed, const Sizes& s, int units) {
  const int rank = cluster_rank<cluster>();
  Ring ring[k_groups];
#pragma unroll
  for (int q = 0; q < k_groups; ++q) ring[q] = {0, 1};
  for (int index = blockIdx.x / cluster; index < tile_count(s); index += gridDim.x / cluster) {
    const Tile tile = tile_at(s, index);
    const u8* rows[row_groups];
#pragma unroll
    for (int r = 0; r < row_groups; ++r) {
      const int w_tile = min(tile.w_tile + r, s.w_tiles - 1);
      rows[r] = packed + ((i64)tile.batch * s.w_tiles + w_tile) * units * unit_bytes;
    }
    for (int first = rank * k_groups; first < units; first += parts)
#pragma unroll
      for (int q = 0; q < k_groups; ++q) {
        const int unit = first + q;
        if (unit >= units) break;
#pragma unroll
        for (int r = 0; r < row_groups; ++r) {
          const int group = r * k_groups + q;
          const u32 full = shared.w_full(group, ring[q].stage);
          mbarrier_wait(shared.w_empty(group, ring[q].stage), ring[q].phase);
          mbarrier_arrive_expect_tx(full, unit_bytes);
          bulk_load(shared.w(group, ring[q].stage), rows[r] + (i64)unit * unit_bytes, unit_bytes, full);
        }
        ring[q].next(w_stages);
      }
  }
}

/// Called by one thread.
__device__ inline void init_barriers(const Shared& shared) {
#pragma unroll
  for (int i = 0; i < groups * w_stages; ++i) {
    mbarrier_init(shared.w_full(0, i), 1);
    mbarrier_init(shared.w_empty(0, i), 4);
  }
#pragma unroll
  for (int stage = 0; stage < a_stages; ++stage) {
    mbarrier_init(shared.a_full(stage), converters);
    mbarrier_init(shared.a_empty(stage), 4 * row_groups);
  }
#pragma unroll
  for (int stage = 0; stage < raw_stages; ++stage) {
    mbarrier_init(shared.raw_full(stage), 33);
    mbarrier_init(shared.raw_empty(stage), converters);
  }
#pragma unroll
  for (int group = 0; group < row_groups; ++group) {
    mbarrier_init(shared.far_full(group), cluster > 1 ? (cluster - 1) * 128 : 1);
    mbarrier_init(shared.far_empty(group), 128);
  }
  fence_mbarrier_init();
}

/// Adds the sums of the warpgroups and of the blocks that share rows, always in the same order.
struct Reduction {
  u32 far_phase = 0;
  bool first = true;
  bool last = false;  // whether this is the last tile
};

/// Returns whether this thread has elements to write.
///
/// Between blocks: the block that finishes a row group waits for all sums and arrivals at far_full before it reads
/// them. The others wait at far_empty for the arrivals after one tile before they send the sums of the next. After the
/// last tile no block would wait, so nothing is sent.
__device__ inline bool reduce(float (&total)[held], const Shared& shared, Reduction& state, int r, int q, int thread) {
  const int full = 1 + 2 * r;
  const int empty = 2 + 2 * r;
  if (k_groups > 1) {
    if (q > 0) {
      if (!state.first) named_barrier_sync(empty, k_groups * 128);
      state.first = false;
#pragma unroll
      for (int i = 0; i < held; ++i) st_shared_f32(shared.sums(r, q - 1) + (i * 128 + thread) * 4, total[i]);
      named_barrier_arrive(full, k_groups * 128);
      return false;
    }
    named_barrier_sync(full, k_groups * 128);
    for (int other = 1; other < k_groups; ++other)
#pragma unroll
      for (int i = 0; i < held; ++i) total[i] += ld_shared_f32(shared.sums(r, other - 1) + (i * 128 + thread) * 4);
    named_barrier_arrive(empty, k_groups * 128);
  }
  if (cluster == 1) return true;
  const int finisher = r % cluster;
  const int slot = ((int)cluster_rank<cluster>() - finisher + cluster) % cluster;  // 0 is the finisher's slot
  if (slot > 0) {
    mbarrier_wait_cluster(shared.far_empty(r), state.far_phase ^ 1);
    state.far_phase ^= 1;
    const u32 there = mapa(shared.far_sums(r, slot - 1), finisher);
#pragma unroll
    for (int i = 0; i < held; ++i) st_shared_cluster(there + (i * 128 + thread) * 4, total[i]);
    mbarrier_arrive_release_cluster(mapa(shared.far_full(r), finisher));
    return false;
  }
  mbarrier_wait_cluster(shared.far_full(r), state.far_phase);
  state.far_phase ^= 1;
  for (int other = 1; other < cluster; ++other)
#pragma unroll
    for (int i = 0; i < held; ++i) total[i] += ld_shared_f32(shared.far_sums(r, other - 1) + (i * 128 + thread) * 4);
  if (!state.last)
    for (int other = 1; other < cluster; ++other)
      mbarrier_arrive_remote(mapa(shared.far_empty(r), (finisher + other) % cluster));
  return true;
}

__device__ inline void multiply_tiles(const Shared& shared, const EpilogueArguments& results, const Sizes& s, int units,
                                      int group) {
  const int r = group / k_groups;
  const int q = group % k_groups;
  const int thread = threadIdx.x % 128;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int rank = cluster_rank<cluster>();
  const int mine = units_of(units, rank * k_groups + q);
  int of_block = 0;
#pragma unroll
  for (int other = 0; other < k_groups; ++other) of_block += units_of(units, rank * k_groups + other);

  Ring w_ring = {0, 0};
  int a_unit = 0;  // the number of the tile's first unit in the ring of A, which all warpgroups share
  Reduction reduction;
  Sums sums;

  for (int index = blockIdx.x / cluster; index < tile_count(s); index += gridDim.x / cluster) {
    const Tile tile = tile_at(s, index);
    const Corner corner = corner_of(results, s, tile, r, thread);
    const Factors factors = load_factors(results, s, tile, corner);
    float total[held];
#pragma unroll
    for (int i = 0; i < held; ++i) total[i] = 0;

    Fragments even;
    Fragments odd;
    if (mine > 0) {
      mbarrier_wait(shared.w_full(group, w_ring.stage), w_ring.phase);
      load_fragments(even, shared.w(group, w_ring.stage), warp, lane);
    }
    for (int i = 0; i < mine; ++i) {
      const int number = a_unit + i * k_groups + q;
      const int a_stage = number % a_stages;
      const u32 a = shared.a(a_stage);
      const u32 w = shared.w(group, w_ring.stage);
      const u32 a_scales = shared.scales(a_stage) + lane % 4 * 8;
      mbarrier_wait(shared.a_full(a_stage), number / a_stages & 1);
      start_products(sums, even, a);
      load_fragments(odd, w + brick_bytes, warp, lane);
      __syncwarp();
      if (lane == 0) mbarrier_arrive(shared.w_empty(group, w_ring.stage));
      w_ring.next(w_stages);
      finish_products(total, sums, even.scales, a_scales);
      start_products(sums, odd, a + 4 * a_step_bytes);
      if (i + 1 < mine) {
        mbarrier_wait(shared.w_full(group, w_ring.stage), w_ring.phase);
        load_fragments(even, shared.w(group, w_ring.stage), warp, lane);
      }
      finish_products(total, sums, odd.scales, a_scales + 4 * tile_m * 4);
      __syncwarp();
      if (lane == 0) mbarrier_arrive(shared.a_empty(a_stage));
    }
    a_unit += of_block;

    reduction.last = is_last_tile(s, index);
    if (reduce(total, shared, reduction, r, q, thread)) write(results, s, corner, factors, total);
  }
}

extern "C" __global__ void __launch_bounds__(threads, 1)
    multiply_skinny(const u8* a, const u8* a_scale, const u8* packed, const float* base, const Out* bias, Out* c,
                    Sizes sizes) {
  extern __shared__ __align__(128) u8 memory[];
  const Shared shared = {shared_address(memory)};
  const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);  // uniform in a warp, as the compiler must see
  const int units = (sizes.k + unit_k - 1) / unit_k;
  pdl_launch_dependents();
  if (threadIdx.x == 0) init_barriers(shared);
  cluster_sync<cluster>();
  if (warp < 2 + converters) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(few_registers));
    if (threadIdx.x == 0)
      copy_weights(shared, packed, sizes, units);
    else if (warp == 1)
      copy_activations(shared, a, a_scale, sizes, units, threadIdx.x % 32);
    else if (warp > 1)
      convert_activations(shared, sizes, units, warp - 2, threadIdx.x % 32);
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(many_registers));
    pdl_wait();
    multiply_tiles(shared, {a, a_scale, nullptr, packed, base, bias, c}, sizes, units, warp / 4 - other_groups);
  }
  cluster_sync_before_exit<cluster>();
}
