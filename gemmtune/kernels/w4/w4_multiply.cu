// C = A · Wᵀ for A in bf16 or E4M3 and weights of 4 bits. Weights stay 4-bit in memory, pass once through shared
// memory, and become A's type in the registers from which wgmma takes its first operand (w4_bits.h, w4_fp8_bits.h). C
// is therefore computed transposed: 64 rows of W are wgmma's M, the rows of A ("tokens") its N. docs/w4-on-hopper.md
// explains what this is built for.
//
// A block has a thread that copies W and A, 128 of K at a time, and warpgroups that multiply (w4_bf16.cuh, w4_fp8.cuh).
// Warpgroups of a block, and blocks of a cluster, may take different parts of K. At the end each sends most of its sums
// to the others, and adds up and writes a share of C. Where K is not split, blocks work on one tile after the other.

#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/w4/w4_layout.cuh"
#include "gemmtune/kernels/w4/w4_results.cuh"
#if W4_FP8
#include "gemmtune/kernels/w4/w4_fp8.cuh"
#else
#include "gemmtune/kernels/w4/w4_bf16.cuh"
#endif

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
      const u32 to = shared.a(stage) + panel * panel_bytes + first * 128;
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

/// While the first chunks are on their way, if there are registers to keep the factors in.
constexpr bool loads_factors_early = tokens * subtiles <= 64;

/// A warpgroup that multiplies, and its place in the block.
struct Worker {
  const Shared& shared;
  const Arguments& g;
  const Place& place;
  int group;
  int k_group;

  __device__ int warpgroup() const { return k_group * row_groups + group; }
  __device__ int row_of(const Tile& tile) const { return tile.row + group * subtiles * 64; }

  __device__ void write(const Tile& tile, const Factors& factors, const float (&totals)[subtiles][held]) const {
    const Output out = {(Out*)g.c + (i64)tile.batch * g.m * g.n, g.m, g.n};
    const Writer writer = {
        out, tile, factors, shared.token_scales(warpgroup()), shared.lines(warpgroup()), warpgroup(), row_of(tile)};
#if W4_LINES
    writer.write_all_lines(totals);
#else
    const Reducer reducer = {shared.far_sums(), shared.far_full(0), group, k_group, place.k_block, place.sharer};
    reducer.reduce(totals, [&](const Piece& piece, int sub, int eight) { writer.write(piece, sub, eight); });
#endif
  }

  __device__ void work_on(const Tile& tile, Multiplier& multiplier) const {
    const int row = row_of(tile) + row_of_thread();
    const TokenScales scales = load_token_scales(g, tile);
    Factors factors;
    if (loads_factors_early) factors = load_factors(g, tile.batch, row);
    float totals[subtiles][held];
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
      for (int i = 0; i < held; ++i) totals[sub][i] = 0;
    multiplier.multiply(totals, place.count);
    if (reuses_ring) cluster_sync<cluster>();
    if (!loads_factors_early) factors = load_factors(g, tile.batch, row);
    share(scales, shared, warpgroup());
    write(tile, factors, totals);
  }

  __device__ void work() const {
    const int tiles = tiles_of_block(g);
    Multiplier multiplier = {{shared, group, k_group, tiles * place.count - k_group, {k_group, 0}}};
    int index = blockIdx.x / cluster;
    pdl_wait();
#pragma unroll 1
    for (int tile = 0; tile < (is_persistent ? tiles : 1); ++tile) {
      work_on(tile_at(g, index, place), multiplier);
      index += gridDim.x / cluster;
    }
  }
};

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
    multiply_w4(const __grid_constant__ TensorMap a, const Arguments g) {
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
    Worker{shared, g, place, warp / 4 % row_groups, warp / 4 / row_groups}.work();
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
