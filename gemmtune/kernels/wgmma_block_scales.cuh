// The part of wgmma_gemm.cu that knows scales for each 1×128 of A and each 128×128 of W (f32). The tensor core sums
// 128 of K. Each such sum is multiplied by both scales and added to float totals.
//
// A warp copies scales into a ring of their own. A's are row-major, so that a row has those of neighbouring steps side
// by side. The warp copies up to four of them at once.
//
// A consumer warpgroup has `subtiles` × `group_pieces` pieces of 64 rows × PIECE_N columns, and multiplies one after
// the other. With one piece in flight, the tensor core is kept busy by the other warpgroup while this one adds. With
// two, it also multiplies this warpgroup's next piece meanwhile.
#pragma once

#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/small_m/ptx.cuh"
#include "gemmtune/kernels/wgmma_instruction.cuh"
#include "gemmtune/kernels/wgmma_layout.cuh"
#include "gemmtune/kernels/wgmma_stage.cuh"

/// W has one scale for each row, which the epilogue applies, and none for blocks.
constexpr bool w_has_rows = W_ROWS;

constexpr int piece_sums = PIECE_N / 2;
constexpr int group_pieces = group_columns / PIECE_N;
constexpr int step_pieces = subtiles * group_pieces;
constexpr int piece_power = power_in(BLOCK_N) < power_in(PIECE_N) ? power_in(BLOCK_N) : power_in(PIECE_N);
constexpr int piece_blocks = blocks_touched(PIECE_N, piece_power);  // of W's blocks, that a piece may touch
static_assert(group_columns % PIECE_N == 0, "pieces divide the columns");
static_assert(piece_blocks <= 2, "a piece lies in two blocks of W at most");
static_assert(power_in(group_columns) >= piece_power, "pieces begin at multiples of that power");

// ---- copying scales

__device__ __forceinline__ unsigned scales_full(const Shared& shared, int slot) {
  return shared_address(&shared.scales_full[slot]);
}
__device__ __forceinline__ unsigned scales_empty(const Shared& shared, int slot) {
  return shared_address(&shared.scales_empty[slot]);
}

/// Called by one thread.
__device__ __forceinline__ void init_scale_barriers(Shared& shared) {
  for (int slot = 0; slot < scale_slots; ++slot) {
    mbarrier_init(scales_full(shared, slot), 32);  // the lanes that copy
    mbarrier_init(scales_empty(shared, slot), 8);  // the warps that read
  }
}

/// Where a lane finds the scales of a unit: of its first row of A, and of its block of W if it has one.
struct ScaleSource {
  const float* a;
  const float* w;
  int rows;  // of A, from the lane's first one to the last one that exists
  bool has_w;
};

__device__ __forceinline__ ScaleSource source_of(const Arguments& g, const Unit& unit) {
  const int lane = threadIdx.x % 32;
  const long long row = static_cast<long long>(unit.batch) * g.m + unit.row + lane;
  const int blocks = (g.n + 127) / 128;
  const int block = unit.column / 128 + lane;
  const long long w_row = static_cast<long long>(unit.batch) * blocks + block;
  return {g.a_scale + row * g.steps, g.w_scale + w_row * g.steps, g.m - unit.row - lane,
          lane < w_blocks && block < blocks};
}

/// Copies the scales of SCALE_STEPS steps from `step` on; zeros for rows past the end.
__device__ __forceinline__ void fill_slot(ScaleSlot& slot, const Arguments& g, const ScaleSource& source, int step) {
  const int lane = threadIdx.x % 32;
  const u8* from = reinterpret_cast<const u8*>(source.a + step);
#pragma unroll 1
  for (int i = 0; i < BLOCK_M; i += 32, from += static_cast<long long>(g.steps) * (32 * 4)) {
    const bool exists = i < source.rows;
    cp_async<SCALE_STEPS * 4>(shared_address(slot.a[lane + i]), exists ? from : reinterpret_cast<const u8*>(g.a_scale),
                              exists);
  }
  if (!w_has_rows && lane < w_blocks)
    cp_async<SCALE_STEPS * 4>(shared_address(slot.w[lane]),
                              reinterpret_cast<const u8*>(source.has_w ? source.w + step : g.w_scale), source.has_w);
}

/// Called by a warp.
__device__ __forceinline__ void copy_scales(Shared& shared, const Arguments& g, const Place& place) {
  RingPosition<scale_slots> position{0, 1};
  pdl_wait();
  for (int index = first_unit(); index < units(g); index += unit_step()) {
    const Unit unit = unit_of(index, g, place);
    const ScaleSource source = source_of(g, unit);
    for (int step = unit.first; step < unit.end; step += SCALE_STEPS) {
      mbarrier_wait(scales_empty(shared, position.stage), position.parity);
      fill_slot(shared.scales[position.stage], g, source, step);
      cp_async_mbarrier_arrive(scales_full(shared, position.stage));
      position.advance();
    }
  }
}

// ---- multiplying

/// What the sums of a piece that this thread has are multiplied by: for its two rows, and for the blocks of W that the
/// piece touches.
struct PieceFactors {
  float of[2][piece_blocks];
};

/// One consumer warpgroup in one unit.
struct Multiplier {
  unsigned memory;  // address of Shared
  unsigned first;   // half descriptor of the first stage
  const Unit& unit;
  const Place& place;
  int group;

  __device__ __forceinline__ int column_of(int piece) const { return first_column_of(group) + piece * PIECE_N; }

  /// The block of W in which a piece begins, counted from that in which the tile begins.
  __device__ __forceinline__ int block_of(int piece) const {
    if (w_blocks == 1) return 0;
    if (BLOCK_N % 128 == 0) return column_of(piece) / 128;
    return (unit.column + column_of(piece)) / 128 - unit.column / 128;
  }

  /// How many columns of a piece are in that block, or more.
  __device__ __forceinline__ int columns_in_block(int piece) const {
    return 128 - (unit.column + column_of(piece)) % 128;
  }

  __device__ __forceinline__ PieceFactors factors(int slot, int step, int sub, int piece) const {
    const unsigned within = memory + scales_at + slot * sizeof(ScaleSlot) + step % SCALE_STEPS * 4;
    const auto of_row = [&](int row) { return within + row * SCALE_STEPS * 4; };
    const int row = first_row_of(group) + sub * 64 + row_in_subtile();
    PieceFactors factors;
#pragma unroll
    for (int block = 0; block < piece_blocks; ++block) {
      const float w = w_has_rows ? 1.0f : load_shared(of_row(BLOCK_M + min(block_of(piece) + block, w_blocks - 1)));
#pragma unroll
      for (int half = 0; half < 2; ++half) factors.of[half][block] = load_shared(of_row(row + half * 8)) * w;
    }
    return factors;
  }

  /// What the i-th sum of a piece is multiplied by.
  __device__ __forceinline__ float factor(const PieceFactors& factors, int piece, int i) const {
    const int column = i / 4 * 8 / piece_power * piece_power;
    const bool next = piece_blocks > 1 && column >= columns_in_block(piece);
    const int half = i % 4 / 2;
    return next ? factors.of[half][piece_blocks - 1] : factors.of[half][0];
  }

  __device__ __forceinline__ void add(float (&totals)[sums_of_subtile], const float (&sums)[piece_sums],
                                      const PieceFactors& factors, int piece) const {
#pragma unroll
    for (int i = 0; i < piece_sums; ++i) totals[piece * piece_sums + i] += sums[i] * factor(factors, piece, i);
  }
  /// The same where there is nothing to add to yet.
  __device__ __forceinline__ void set(float (&totals)[sums_of_subtile], const float (&sums)[piece_sums],
                                      const PieceFactors& factors, int piece) const {
#pragma unroll
    for (int i = 0; i < piece_sums; ++i) totals[piece * piece_sums + i] = sums[i] * factor(factors, piece, i);
  }

  /// Half descriptors. Few operations lead to them from stage to stage, because a step's first product waits for them.
  __device__ __forceinline__ unsigned a_at(int stage, int sub) const {
    return first + stage * (stage_bytes / 16) + (first_row_of(group) + sub * 64) * (block_k / 16);
  }
  __device__ __forceinline__ unsigned w_at(int stage, int piece) const {
    return first + stage * (stage_bytes / 16) + a_bytes / 16 + column_of(piece) * (block_k / 16);
  }

  __device__ __forceinline__ void release(int stage) const { ::release(memory + empty_at + stage * 8, place); }

  __device__ __forceinline__ void wait_for_tiles(const Consumed& at) const {
    if (!at.tiles_are_full) mbarrier_wait(memory + full_at + at.tiles.stage * 8, at.tiles.parity);
  }

  /// Asks ahead whether the next stage has arrived: the answer takes a while, in which this warp can add.
  __device__ __forceinline__ void advance_tiles(Consumed& at) const {
    at.tiles.advance();
    at.tiles_are_full = mbarrier_test(memory + full_at + at.tiles.stage * 8, at.tiles.parity);
  }

  /// Called before a step's first factors are read.
  __device__ __forceinline__ void wait_for_scales(const Consumed& at, int step) const {
    if (step % SCALE_STEPS == 0) mbarrier_wait(memory + scales_full_at + at.scales.stage * 8, at.scales.parity);
  }

  /// Called once this warp has read the last factors of a step.
  __device__ __forceinline__ void have_read_scales(Consumed& at, int step) const {
    if (step % SCALE_STEPS != SCALE_STEPS - 1) return;
    __syncwarp();
    if (threadIdx.x % 32 == 0) mbarrier_arrive(memory + scales_empty_at + at.scales.stage * 8);
    at.scales.advance();
  }
};

/// Placed after a wait for the tensor core, so that the compiler does not read sums before it.
__device__ __forceinline__ void settle(float (&sums)[piece_sums]) {
#pragma unroll
  for (int i = 0; i < piece_sums; ++i) asm volatile("" : "+f"(sums[i]));
}

__device__ __forceinline__ void start(float (&sums)[piece_sums], const Multiplier& m, int stage, int sub, int piece) {
  const unsigned a = m.a_at(stage, sub);
  const unsigned w = m.w_at(stage, piece);
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < 4; ++k)
    wgmma_ss(sums, wgmma_descriptor_of_half(a + k * 2), wgmma_descriptor_of_half(w + k * 2), k > 0);
  wgmma_commit_group();
}

#if SUMS_IN_FLIGHT == 1

/// Multiplies one step. A unit's first step sets totals, and its first piece is under way already.
template <bool is_first>
__device__ __forceinline__ void multiply_step(const Multiplier& m, Consumed& at, int step, float (&sums)[piece_sums],
                                              float (&totals)[subtiles][sums_of_subtile]) {
  if (!is_first) m.wait_for_tiles(at);
  const int stage = at.tiles.stage;
  const int slot = at.scales.stage;
#pragma unroll
  for (int i = 0; i < step_pieces; ++i) {
    const bool is_last = i == step_pieces - 1;
    const int sub = i / group_pieces;
    const int piece = i % group_pieces;
    if (!is_first || i > 0) start(sums, m, stage, sub, piece);
    if (i == 0) m.wait_for_scales(at, step);
    const PieceFactors factors = m.factors(slot, step, sub, piece);
    if (is_last) m.have_read_scales(at, step);
    wgmma_wait_group();
    if (is_last) {
      m.release(stage);
      m.advance_tiles(at);
    }
    settle(sums);
    if (is_first)
      m.set(totals[sub], sums, factors, piece);
    else
      m.add(totals[sub], sums, factors, piece);
  }
}

__device__ __forceinline__ void multiply(const Multiplier& m, Consumed& at,
                                         float (&totals)[subtiles][sums_of_subtile]) {
  float sums[piece_sums];
  for (int step = m.unit.first; step < m.unit.end; ++step) multiply_step<false>(m, at, step, sums, totals);
}

/// Begins with the first piece of the next unit. Where that unit is in C need not be known yet.
__device__ __forceinline__ void start_unit(const Multiplier& m, const Consumed& at, float (&sums)[piece_sums]) {
  m.wait_for_tiles(at);
  start(sums, m, at.tiles.stage, 0, 0);
}

/// Multiplies a unit whose first piece is under way.
__device__ __forceinline__ void multiply_started(const Multiplier& m, Consumed& at, float (&sums)[piece_sums],
                                                 float (&totals)[subtiles][sums_of_subtile]) {
  multiply_step<true>(m, at, m.unit.first, sums, totals);
  for (int step = m.unit.first + 1; step < m.unit.end; ++step) multiply_step<false>(m, at, step, sums, totals);
}

#else

/// Two pieces in turn. The one that was started before is still to be added.
struct InFlight {
  float sums[2][piece_sums];
  PieceFactors factors[2];
};

/// Releases the stage of the step before the one that `at` has come to, once the tensor core has read it.
__device__ __forceinline__ void release_before(const Multiplier& m, const Consumed& at) {
  m.release(at.tiles.stage == 0 ? STAGES - 1 : at.tiles.stage - 1);
}

/// Multiplies one step, and adds all of its pieces but the last. `parity` says which sums the first piece takes.
template <int parity>
__device__ __forceinline__ void multiply_step(const Multiplier& m, Consumed& at, int step, InFlight& f,
                                              float (&totals)[subtiles][sums_of_subtile]) {
  m.wait_for_tiles(at);
  m.wait_for_scales(at, step);
  const int stage = at.tiles.stage;
  const int slot = at.scales.stage;
#pragma unroll
  for (int i = 0; i < step_pieces; ++i) {
    const int sub = i / group_pieces;
    const int piece = i % group_pieces;
    const int own = (parity + i) % 2;
    const int before = (i + step_pieces - 1) % step_pieces;
    start(f.sums[own], m, stage, sub, piece);
    f.factors[own] = m.factors(slot, step, sub, piece);
    if (i == step_pieces - 1) m.have_read_scales(at, step);
    wgmma_wait_group<1>();
    if (i == 0 && step > m.unit.first) release_before(m, at);
    settle(f.sums[1 - own]);
    m.add(totals[before / group_pieces], f.sums[1 - own], f.factors[1 - own], before % group_pieces);
  }
  m.advance_tiles(at);
}

/// Adds the last piece.
template <int own>
__device__ __forceinline__ void multiply_end(const Multiplier& m, const Consumed& at, InFlight& f,
                                             float (&totals)[subtiles][sums_of_subtile]) {
  wgmma_wait_group();
  release_before(m, at);
  settle(f.sums[own]);
  m.add(totals[subtiles - 1], f.sums[own], f.factors[own], group_pieces - 1);
}

__device__ __forceinline__ void multiply(const Multiplier& m, Consumed& at,
                                         float (&totals)[subtiles][sums_of_subtile]) {
  InFlight f;
#pragma unroll
  for (int i = 0; i < piece_sums; ++i) f.sums[1][i] = 0;  // before the first piece, zeros are added
  f.factors[1] = {};
  int step = m.unit.first;
  if constexpr (step_pieces % 2 == 0) {
    for (; step < m.unit.end; ++step) multiply_step<0>(m, at, step, f, totals);
    multiply_end<1>(m, at, f, totals);
  } else {
    for (; step + 1 < m.unit.end; step += 2) {
      multiply_step<0>(m, at, step, f, totals);
      multiply_step<1>(m, at, step + 1, f, totals);
    }
    if (step < m.unit.end) {
      multiply_step<0>(m, at, step, f, totals);
      multiply_end<0>(m, at, f, totals);
    } else {
      multiply_end<1>(m, at, f, totals);
    }
  }
}

#endif

__device__ __forceinline__ Multiplier multiplier_of(const Shared& shared, const Unit& unit, const Place& place,
                                                    int group) {
  // Shuffled, so that the compiler keeps both in uniform registers and does not compute them in each step.
  const unsigned memory = __shfl_sync(0xffffffffu, shared_address(&shared), 0);
  const unsigned first = __shfl_sync(0xffffffffu, wgmma_swizzled_half(shared_address(&shared) / 16), 0);
  return {memory, first, unit, place, group};
}

__device__ __forceinline__ void accumulate(Shared& shared, const Arguments&, Consumed& consumed, const Unit& unit,
                                           int group, const Place& place, float (&totals)[subtiles][sums_of_subtile]) {
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int i = 0; i < sums_of_subtile; ++i) totals[sub][i] = 0;
  multiply(multiplier_of(shared, unit, place, group), consumed, totals);
}
