// C = A · Wᵀ for A in bf16 and weights of 4 bits. Weights stay 4-bit in memory, pass once through shared memory, and
// become bf16 in the registers from which wgmma takes its first operand (w4_bits.h). C is therefore computed
// transposed: 64 rows of W are wgmma's M, the rows of A ("tokens") its N. docs/w4-on-hopper.md explains what this is
// built for.
//
// A block has a thread that copies W and A, 128 of K at a time, and warpgroups that multiply. A warpgroup expands 64
// rows × 64 of K while the tensor core multiplies those before, and reads the codes of those after. Warpgroups of a
// block, and blocks of a cluster, may take different parts of K. At the end each sends most of its sums to the others,
// and adds up and writes a share of C. Where K is not split, blocks work on one tile after the other.

#include "gemmtune/families/a16w4_wgmma/w4_layout.cuh"
#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/stream/reduce.cuh"
#include "gemmtune/kernels/stream/write.cuh"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_from_registers.cuh"

// ---- copying, by one thread

struct Copier {
  const Shared& shared;
  const TensorMap& a;
  const Arguments& g;
  const Place& place;

  /// Also tells the stage's mbarrier how many bytes to expect, A's included.
  __device__ void load_weights(const Tile& tile, int i, int stage) const {
    const u32 full = shared.full(stage);
    mbarrier_arrive_expect_tx(full, w_stage_bytes + a_stage_bytes);
#pragma unroll
    for (int brick = 0; brick < bricks; ++brick) {
      const int brick_row = min(tile.row / 64 + brick, g.brick_rows - 1);
      const i64 at = ((i64)tile.batch * g.brick_rows + brick_row) * g.chunks + place.first + i;
      bulk_load(shared.brick(stage, brick), g.bricks + at * brick_bytes, brick_bytes, full);
    }
  }

  /// Loads this block's share of A's rows, for all blocks that share them.
  __device__ void load_activations(const Tile& tile, int i, int stage) const {
    constexpr int share = tokens / sharers;
    const int first = place.sharer * share;
#pragma unroll
    for (int panel = 0; panel < chunk_k / panel_k; ++panel) {
      const int k = (place.first + i) * chunk_k + panel * panel_k;
      const u32 to = shared.a(stage) + panel * panel_bytes + first * panel_k * 2;
      if constexpr (sharers > 1)
        tma_load_multicast(a, shared.full(stage), to, k, tile.token + first, tile.batch,
                           (u16)(((1u << sharers) - 1) << rank_of(place.k_block, 0)));
      else
        tma_load(a, shared.full(stage), to, k, tile.token + first, tile.batch);
    }
  }
};

/// Loads the first weights without waiting, because no earlier kernel writes them.
__device__ inline void load_first_weights(const Copier& copier) {
  const Tile tile = tile_at(copier.g, blockIdx.x / cluster, copier.place);
#pragma unroll 1
  for (int i = 0; i < min(stages, copier.place.count); ++i) copier.load_weights(tile, i, i);
}

__device__ inline void copy(const Copier& copier) {
  int ahead = min(stages, copier.place.count);
  int index = blockIdx.x / cluster;
  Ring<stages> ring = {0, 1};
  pdl_wait();
#pragma unroll 1
  for (int left = tiles_of_block(copier.g); left > 0; --left) {
    const Tile tile = tile_at(copier.g, index, copier.place);
#pragma unroll 1
    for (int i = 0; i < copier.place.count; ++i) {
      if (--ahead < 0) {
        mbarrier_wait(copier.shared.empty(ring.stage), ring.phase);
        copier.load_weights(tile, i, ring.stage);
      }
      copier.load_activations(tile, i, ring.stage);
      ring.advance(1);
    }
    index += gridDim.x / cluster;
  }
}

// ---- multiplying

/// What a thread reads of 64 rows × 64 of K: codes, and the scales of its two rows' blocks.
struct Codes {
  uint4 words;
  uint2 scales;
};

/// The expanded codes: wgmma's first operand for four steps.
struct Fragments {
  u32 step[4][4];
};

/// The products of two pairs of bf16. They are exact, because weights are bf16 numbers (w4_bits.h).
__device__ inline u32 times(u32 pair, u32 factors) {
  u32 product;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(product) : "r"(pair), "r"(factors));
  return product;
}

/// The factors of one row's codes in step `step` of a half of a chunk.
__device__ inline u32 factors_of(u32 scales, int half, int step) {
  const int byte = scale_k == 32 ? half * 2 + step / 2 : step;
  const u32 bytes = Prmt{}(scales, 0, 0x4040 | byte | byte << 8);
  return scale_k == 32 ? gemmtune::mx_factors(bytes) : gemmtune::nv_factors(bytes);
}

__device__ inline void expand(Fragments& f, const Codes& codes, int half) {
  const u32 words[4] = {codes.words.x, codes.words.y, codes.words.z, codes.words.w};
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    const u32 factors[2] = {factors_of(codes.scales.x, half, step), factors_of(codes.scales.y, half, step)};
#pragma unroll
    for (int j = 0; j < 4; ++j) f.step[step][j] = times(gemmtune::w4_pair(words[step], j), factors[j % 2]);
  }
}

/// Keeps the compiler from moving the expansion of codes to after the fence.
__device__ inline void pin(Fragments& f) {
#pragma unroll
  for (int step = 0; step < 4; ++step)
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(f.step[step][i])::"memory");
}

/// A warpgroup that multiplies: its rows of W within the block, its turn along K, and its position in the ring. A unit
/// of its work is one of its groups of 64 rows × 64 of K.
struct Multiplier {
  static constexpr int units = 2 * subtiles;  // of a chunk

  const Shared& shared;
  int group;
  int k_group;
  int left;  // chunks of the block, from the one at `ring` on
  Ring<stages> ring;

  __device__ Codes read(int stage, int unit) const {
    const u32 brick = shared.brick(stage, group * subtiles + unit % subtiles);
    const int thread = threadIdx.x % 128;
    const u32 scales = brick + gemmtune::w4_codes_bytes + (scale_k == 16 ? unit / subtiles * 256 : 0) + thread / 4 * 8;
    return {ld_shared_v4(brick + unit / subtiles * 2048 + thread * 16), ld_shared_v2(scales)};
  }

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

  __device__ void start(float (&sums)[held], Fragments& f, int half) const {
    const u32 a = (shared.base >> 4) + ring.stage * (a_stage_bytes / 16) + half * (panel_bytes / 16);
    pin(f);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step) wgmma_rs(sums, f.step[step], wgmma_swizzled_descriptor(a + 2 * step), true);
    wgmma_commit_group();
  }

  /// Adds the products of one chunk. `even` has its first unit, and `codes` its second one. Afterwards they have those
  /// of the next chunk, if there is one.
  __device__ void multiply_chunk(float (&totals)[subtiles][held], Fragments& even, Fragments& odd, Codes& codes,
                                 const Ring<stages>& last, const Ring<stages>& next, bool is_first, bool is_last) {
#pragma unroll
    for (int unit = 0; unit < units; ++unit) {
      start(totals[unit % subtiles], unit % 2 == 0 ? even : odd, unit / subtiles);
      wgmma_wait_group<1>();
      if (unit == 0 && !is_first) release(last.stage, left + k_groups);
      if (unit + 1 < units || !is_last) expand(unit % 2 == 0 ? odd : even, codes, (unit + 1) % units / subtiles);
      if (unit + 2 == units && !is_last) mbarrier_wait(shared.full(next.stage), next.phase);
      if (unit + 2 < units)
        codes = read(ring.stage, unit + 2);
      else if (!is_last)
        codes = read(next.stage, unit + 2 - units);
    }
  }

  /// Adds the products of `count` chunks, of which each k_groups-th is this warpgroup's.
  __device__ void multiply(float (&totals)[subtiles][held], int count) {
    if (k_group >= count) return;
    mbarrier_wait(shared.full(ring.stage), ring.phase);
    Fragments even;
    Fragments odd;
    Codes codes = read(ring.stage, 0);
    expand(even, codes, 0);
    codes = read(ring.stage, 1);
    Ring<stages> last = ring;
#pragma unroll 1
    for (int i = k_group; i < count; i += k_groups) {
      Ring<stages> next = ring;
      next.advance(k_groups);
      multiply_chunk(totals, even, odd, codes, last, next, i == k_group, i + k_groups >= count);
      last = ring;
      ring = next;
      left -= k_groups;
    }
    wgmma_wait_group<0>();
    release(last.stage, left + k_groups);
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
      for (int i = 0; i < held; ++i) asm volatile("" : "+f"(totals[sub][i])::"memory");
  }
};

// ---- results

/// What a thread's sums are multiplied by, and what is added to them: for its two rows of each of its groups of 64.
struct Factors {
  float base[subtiles][2];
  float bias[subtiles][2];
};

__device__ inline Factors load_factors(const Arguments& g, const Tile& tile, int row) {
  Factors factors;
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = row + sub * 64 + 8 * half;
      factors.base[sub][half] = n < g.n ? g.base[(i64)tile.batch * g.brick_rows * 64 + n] : 0;
      factors.bias[sub][half] = 0;
#if W4_BIAS
      if (n < g.n) factors.bias[sub][half] = float_of(((const Out*)g.bias)[n]);
#endif
    }
  return factors;
}

__device__ inline void reduce_and_write(const Arguments& g, const Tile& tile, const Reducer& reducer,
                                        const float (&totals)[subtiles][held]) {
  const int row = tile.row + reducer.group * subtiles * 64 + row_of_thread();
  const Factors factors = load_factors(g, tile, row);
  const Output out = {(Out*)g.c + (i64)tile.batch * g.m * g.n, g.m, g.n};
  reducer.reduce(totals, [&](const Piece& piece, int sub, int eight) {
    const int token = tile.token + eight * 8 + token_of_thread();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = row + sub * 64 + 8 * half;
      const float first = piece.of[2 * half] * factors.base[sub][half] + factors.bias[sub][half];
      const float second = piece.of[2 * half + 1] * factors.base[sub][half] + factors.bias[sub][half];
      if constexpr (writes_pairs) {
        out.write_pairs(token, n, first, second);
      } else {
        out.write_one(token, n, first);
        out.write_one(token + 1, n, second);
      }
    }
  });
}

__device__ inline void multiply_tiles(const Shared& shared, const Arguments& g, const Place& place, int group,
                                      int k_group) {
  const Reducer reducer = {shared.far_sums(), shared.far_full(0), group, k_group, place.k_block, place.sharer};
  const int tiles = tiles_of_block(g);
  Multiplier multiplier = {shared, group, k_group, tiles * place.count - k_group, {k_group, 0}};
  int index = blockIdx.x / cluster;
  pdl_wait();
#pragma unroll 1
  for (int tile = 0; tile < (is_persistent ? tiles : 1); ++tile) {
    float totals[subtiles][held];
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
      for (int i = 0; i < held; ++i) totals[sub][i] = 0;
    multiplier.multiply(totals, place.count);
    if (reuses_ring) cluster_sync<cluster>();
    reduce_and_write(g, tile_at(g, index, place), reducer, totals);
    index += gridDim.x / cluster;
  }
}

/// Called by one thread.
__device__ inline void init_barriers(const Shared& shared) {
#pragma unroll
  for (int stage = 0; stage < stages; ++stage) {
    mbarrier_init(shared.full(stage), 1);
    mbarrier_init(shared.empty(stage), 4 * row_groups * sharers);
  }
#pragma unroll
  for (int warpgroup = 0; warpgroup < consumers; ++warpgroup) mbarrier_init(shared.far_full(warpgroup), 1);
  fence_mbarrier_init();
}

extern "C" __global__ void __maxnreg__(W4_REGISTERS)
    multiply_a16w4(const __grid_constant__ TensorMap a, const Arguments g) {
  extern __shared__ __align__(1024) u8 memory[];
  const Shared shared = {shared_address(memory)};
  if (shared.base % 1024 != 0) __trap();                           // the swizzles need this alignment
  const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);  // uniform in a warp, as the compiler must see
  const Place place = place_of(g, cluster_rank<cluster>());
  const Copier copier = {shared, a, g, place};
  pdl_launch_dependents();
  if (threadIdx.x == 128 * consumers) {
    init_barriers(shared);
    load_first_weights(copier);
  }
  __syncwarp();
  cluster_sync<cluster>();
  if (warp < 4 * consumers) {
#if W4_MANY_REGISTERS
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(W4_MANY_REGISTERS));
#endif
    multiply_tiles(shared, g, place, warp / 4 % row_groups, warp / 4 / row_groups);
  } else {
#if W4_MANY_REGISTERS
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(gemmtune::w4_few_registers));
#endif
    if (threadIdx.x == 128 * consumers) copy(copier);
    __syncwarp();
    if (reuses_ring) cluster_sync<cluster>();
  }
  cluster_sync_before_exit<cluster>();
}
