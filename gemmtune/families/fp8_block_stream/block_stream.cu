// C = A · Wᵀ for few rows of A, e4m3 with a scale for each 1×128 of A and each 128×128 of W. The time is that of
// reading W, which passes once through shared memory. C is computed transposed: 64 rows of W are wgmma's M, the rows of
// A ("tokens") its N. docs/fp8-on-hopper.md explains what this is built for.
//
// A block has warpgroups that multiply, a warp that copies W, and one that copies A and all scales, 128 of K at a time.
// W has a ring of its own, because it can be asked for early and far ahead. The tensor core sums 128 of K. The sum
// times both scales is then added in float. Warpgroups of a block, and blocks of a cluster, take different parts of K.
// At the end each sends most of its sums to the others, and adds up and writes a share of C.
//
// With STREAM_W_ROWS, W has one scale for each row instead, which C is multiplied by as it is written.

#include "gemmtune/families/fp8_block_stream/block_stream_layout.cuh"
#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/stream/reduce.cuh"
#include "gemmtune/kernels/stream/write.cuh"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_instruction.cuh"

// ---- copying

/// Where a lane finds the scales that it copies in each step.
struct ScaleSource {
  const u8* from;  // for the block's first chunk
  bool exists;
};

constexpr int scales_of_lane = (scales + 31) / 32;
constexpr bool w_has_rows = STREAM_W_ROWS;

struct Copier {
  const Shared& shared;
  const TensorMap& a;
  const TensorMap& w;
  const Arguments& g;
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
    const u32 to = shared.a(stage) + first * chunk_k;
    if constexpr (sharers > 1)
      tma_load_multicast(a, full, to, k, first, place.batch, (u16)(((1u << sharers) - 1) << rank_of(place.k_block, 0)));
    else
      tma_load(a, full, to, k, first, place.batch);
  }

  __device__ ScaleSource scale_source(int i) const {
    if (i < tokens) {
      const bool exists = i < g.m;
      const i64 row = (i64)place.batch * g.m + (exists ? i : 0);
      return {(const u8*)(g.a_scale + row * g.chunks + place.first), exists};
    }
    if (w_has_rows) return {(const u8*)g.a_scale, false};  // zeros, which nobody reads
    const int row = place.row + (i - tokens) * 64;
    const bool exists = i - tokens < bricks && row < g.n;
    const i64 block = (i64)place.batch * ((g.n + 127) / 128) + (exists ? row / 128 : 0);
    return {(const u8*)(g.w_scale + block * g.chunks + place.first), exists};
  }

  __device__ void load_scales(const ScaleSource (&sources)[scales_of_lane], int i, int stage) const {
#pragma unroll
    for (int j = 0; j < scales_of_lane; ++j) {
      const int at = lane + 32 * j;
      if (at < scales) cp_async<4>(shared.scale(stage, at), sources[j].from + i * 4, sources[j].exists);
    }
    cp_async_mbarrier_arrive(shared.a_full(stage));
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

/// Called by a warp.
__device__ inline void copy_activations(const Copier& copier) {
  ScaleSource sources[scales_of_lane];
#pragma unroll
  for (int j = 0; j < scales_of_lane; ++j) sources[j] = copier.scale_source(copier.lane + 32 * j);
  Ring<a_stages> ring = {0, 1};
  pdl_wait();
#pragma unroll 1
  for (int i = 0; i < copier.place.count; ++i) {
    if (i >= a_stages) mbarrier_wait(copier.shared.a_empty(ring.stage), ring.phase);
    if (copier.lane == 0) copier.load_activations(i, ring.stage);
    __syncwarp();
    copier.load_scales(sources, i, ring.stage);
    ring.advance(1);
  }
}

// ---- multiplying

/// A warpgroup that multiplies: its rows of W within the block, and its turn along K.
struct Multiplier {
  const Shared& shared;
  const Place& place;
  int group;
  int k_group;

  __device__ Reducer reducer() const {
    return {shared.far_sums(), shared.far_full(0), group, k_group, place.k_block, place.sharer};
  }

  /// Tells the warps that copy that this warp has read chunk i; of A, those of all blocks that load parts of it. Those
  /// that would not wait for it any more are not told, because they may have ended.
  __device__ void release(int i, int w_stage, int a_stage) const {
    __syncwarp();
    const int lane = threadIdx.x % 32;
    if (lane == 0 && i + w_stages < place.count) mbarrier_arrive(shared.w_empty(w_stage));
    if (i + a_stages >= place.count) return;
    if (sharers == 1) {
      if (lane == 0) mbarrier_arrive(shared.a_empty(a_stage));
    } else if (lane < sharers) {
      mbarrier_arrive_remote(mapa(shared.a_empty(a_stage), rank_of(place.k_block, lane)));
    }
  }

  /// The factors of the sums of eight tokens, of which this thread has two.
  __device__ float2 factors(int a_stage, int eight, float w_scale) const {
    const float2 two = ld_shared_v2_f32(shared.scale(a_stage, eight * 8 + threadIdx.x % 4 * 2));
    return {two.x * w_scale, two.y * w_scale};
  }

  __device__ void start(float (&sums)[held], int w_stage, int a_stage, int sub) const {
    const u64 w = wgmma_descriptor(shared.w(w_stage) + (group * subtiles + sub) * brick_bytes, wgmma_swizzled_128);
    const u64 a = wgmma_descriptor(shared.a(a_stage), wgmma_swizzled_128);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; ++k) wgmma_ss(sums, w + 2 * k, a + 2 * k, k > 0);
    wgmma_commit_group();
  }

  /// Adds the products of 128 of K. Where registers allow it, the factors are read while the tensor core multiplies.
  __device__ void multiply_chunk(float (&totals)[subtiles][held], int w_stage, int a_stage) const {
    constexpr bool reads_early = tokens * (subtiles + 2) <= 384;
    const float w_scale = w_has_rows ? 1.0f : ld_shared_f32(shared.scale(a_stage, tokens + group * subtiles));
    float sums[held];
    float2 early[eights];
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub) {
      start(sums, w_stage, a_stage, sub);
      if (reads_early && sub == 0)
#pragma unroll
        for (int eight = 0; eight < eights; ++eight) early[eight] = factors(a_stage, eight, w_scale);
      wgmma_wait_group<0>();
#pragma unroll
      for (int i = 0; i < held; ++i) asm volatile("" : "+f"(sums[i])::"memory");
#pragma unroll
      for (int eight = 0; eight < eights; ++eight) {
        const float2 two = reads_early ? early[eight] : factors(a_stage, eight, w_scale);
#pragma unroll
        for (int i = 0; i < 4; ++i) totals[sub][4 * eight + i] += sums[4 * eight + i] * (i % 2 == 0 ? two.x : two.y);
      }
    }
  }

  __device__ void multiply(float (&totals)[subtiles][held]) const {
    Ring<w_stages> w = {k_group, 0};
    Ring<a_stages> a = {k_group, 0};
#pragma unroll 1
    for (int i = k_group; i < place.count; i += k_groups) {
      mbarrier_wait(shared.w_full(w.stage), w.phase);
      mbarrier_wait(shared.a_full(a.stage), a.phase);
      multiply_chunk(totals, w.stage, a.stage);
      release(i, w.stage, a.stage);
      w.advance(k_groups);
      a.advance(k_groups);
    }
  }
};

// ---- results

struct Writer {
  Output out;
  const Arguments& g;
  int row;
  const float* row_scales;  // of W, of this matrix; only with STREAM_W_ROWS

  __device__ void write(const Piece& piece, int sub, int eight) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = row + sub * 64 + row_of_thread() + 8 * half;
      const float scale = w_has_rows && n < g.n ? row_scales[n] : 1.0f;
      float bias = 0;
#if STREAM_BIAS
      if (n < g.n) bias = float_of(((const Out*)g.bias)[n]);
#endif
      out.write_two(eight * 8 + token_of_thread(), n, piece.of[2 * half] * scale + bias,
                    piece.of[2 * half + 1] * scale + bias);
    }
  }
};

/// Called by one thread.
__device__ inline void init_barriers(const Shared& shared) {
#pragma unroll
  for (int stage = 0; stage < w_stages; ++stage) {
    mbarrier_init(shared.w_full(stage), 1);
    mbarrier_init(shared.w_empty(stage), 4 * row_groups);
  }
#pragma unroll
  for (int stage = 0; stage < a_stages; ++stage) {
    mbarrier_init(shared.a_full(stage), 1 + 32);  // the bytes, and each lane's scales
    mbarrier_init(shared.a_empty(stage), 4 * row_groups * sharers);
  }
#pragma unroll
  for (int warpgroup = 0; warpgroup < consumers; ++warpgroup) mbarrier_init(shared.far_full(warpgroup), 1);
  fence_mbarrier_init();
}

__device__ inline void multiply_and_write(const Multiplier& multiplier, const Arguments& g) {
  float totals[subtiles][held];
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int i = 0; i < held; ++i) totals[sub][i] = 0;
  pdl_wait();
  multiplier.multiply(totals);
  if (reuses_rings) cluster_sync<cluster>();
  const Place& place = multiplier.place;
  const Writer writer = {{(Out*)g.c + (i64)place.batch * g.m * g.n, g.m, g.n},
                         g,
                         place.row + multiplier.group * subtiles * 64,
                         g.w_scale + (i64)place.batch * g.n};
  multiplier.reducer().reduce(totals, [&](const Piece& piece, int sub, int eight) { writer.write(piece, sub, eight); });
}

extern "C" __global__ void __maxnreg__(STREAM_REGISTERS)
    multiply_block_stream(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w, Arguments g) {
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
      init_barriers(shared);
      if (is_packed) load_first_weights(copier);
    }
    __syncwarp();
  }
  cluster_sync<cluster>();
  if (warp < 4 * consumers) {
#if STREAM_MANY_REGISTERS
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(STREAM_MANY_REGISTERS));
#endif
    multiply_and_write({shared, place, warp / 4 % row_groups, warp / 4 / row_groups}, g);
  } else {
#if STREAM_MANY_REGISTERS
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(gemmtune::block_stream_few_registers));
#endif
    if (warp == 4 * consumers && copier.lane == 0) copy_weights(copier);
    if (warp == 4 * consumers + 1) copy_activations(copier);
    __syncwarp();
    if (reuses_rings) cluster_sync<cluster>();
  }
  cluster_sync_before_exit<cluster>();
}
