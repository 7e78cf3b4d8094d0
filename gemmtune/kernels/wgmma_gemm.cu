// C = A · Wᵀ on Hopper's 8-bit tensor cores, for A [M, K] and W [N, K], row-major bytes. Blocks are persistent and warp
// specialised. One thread of the producer warpgroup loads stages by TMA. Each of the two consumer warpgroups multiplies
// half of the tile's rows by WGMMA.
//
// C[m, n] = sum · a_scale[m] · w_scale[n] (+ bias[n]); scales are powers of two. With scales for blocks of 128
// (wgmma_block_scales.cuh), these are applied as sums are added; of W's scales, only if it has no W_ROWS.

#include "gemmtune/kernels/output_element.cuh"
#include "gemmtune/kernels/pdl.cuh"
#include "gemmtune/kernels/sm90_ptx.cuh"
#include "gemmtune/kernels/wgmma_instruction.cuh"
#include "gemmtune/kernels/wgmma_layout.cuh"
#include "gemmtune/kernels/wgmma_stage.cuh"
#if BLOCK_SCALES
#include "gemmtune/kernels/wgmma_block_scales.cuh"
#endif

__device__ __forceinline__ void sync_group(int group) { asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory"); }

__device__ __forceinline__ Place place_in_cluster() {
  const int rank = static_cast<int>(cluster_rank<cluster>());
  return {rank, rank % CLUSTER_M, rank / CLUSTER_M};
}

// ---- copies

/// Loads a part of a tile by TMA. With `multicast`, the part goes to the same place in the shared memory of each block
/// in `mask`. None of these blocks can have exited before, because its consumers wait for all data that is sent to it.
template <bool multicast>
__device__ __forceinline__ void load(const TensorMap& map, unsigned barrier, unsigned to, int k, int row, int batch,
                                     unsigned short mask) {
  if constexpr (multicast)
    tma_load_multicast(map, barrier, to, k, row, batch, mask);
  else
    tma_load(map, barrier, to, k, row, batch);
}

// ---- producer

/// Loads this block's part of A's tile for one step along K.
__device__ __forceinline__ void load_a(Shared& shared, int stage, const TensorMap& a, const Unit& unit, int step,
                                       const Place& place) {
  constexpr int part = BLOCK_M / CLUSTER_N;
  const int first = place.n * part;
  load<(CLUSTER_N > 1)>(a, full(shared, stage), shared_address(shared.stages[stage] + first * block_k), step * block_k,
                        unit.row + first, unit.batch, place.same_row());
}

/// Loads this block's part of W's tile for one step along K. Also tells the stage's mbarrier how many bytes to
/// expect, A's included.
__device__ __forceinline__ void load_w(Shared& shared, int stage, const TensorMap& w, const Unit& unit, int step,
                                       const Place& place) {
  mbarrier_arrive_expect_tx(full(shared, stage), stage_bytes);
  constexpr int part = BLOCK_N / CLUSTER_M;
  const int first = place.m * part;
  load<(CLUSTER_M > 1)>(w, full(shared, stage), shared_address(shared.stages[stage] + a_bytes + first * block_k),
                        step * block_k, unit.column + first, unit.batch, place.same_column());
}

/// Loads W into the first stages, and returns how many stages these are. May run before pdl_wait(), if the previous
/// kernel does not write W.
__device__ __forceinline__ int load_first_w(Shared& shared, const TensorMap& w, const Arguments& g,
                                            const Place& place) {
  if (!w_is_old || first_unit() >= units(g)) return 0;
  const Unit unit = unit_of(first_unit(), g, place);
  const int count = min(STAGES, unit.end - unit.first);
  for (int stage = 0; stage < count; ++stage) load_w(shared, stage, w, unit, unit.first + stage, place);
  return count;
}

__device__ __forceinline__ void produce(Shared& shared, const TensorMap& a, const TensorMap& w, const Arguments& g,
                                        const Place& place) {
  Position position{0, 1};
  int ahead = load_first_w(shared, w, g, place);
  pdl_wait();
  pdl_launch_dependents();
  for (int index = first_unit(); index < units(g); index += unit_step()) {
    const Unit unit = unit_of(index, g, place);
    for (int step = unit.first; step < unit.end; ++step) {
      if (ahead > 0) {
        --ahead;
      } else {
        mbarrier_wait(empty(shared, position.stage), position.parity);
        load_w(shared, position.stage, w, unit, step, place);
      }
      load_a(shared, position.stage, a, unit, step, place);
      position.advance();
    }
  }
}

// ---- consumers

#if !BLOCK_SCALES

__device__ __forceinline__ void multiply_stage(Shared& shared, int stage, int group,
                                               Sum (&sums)[subtiles][sums_of_subtile], bool adds) {
  const unsigned long long a = tile_descriptor(shared.stages[stage] + group * group_rows * block_k);
  const unsigned long long w = tile_descriptor(shared.stages[stage] + a_bytes);
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub)
      wgmma_ss(sums[sub], a + sub * (64 * block_k >> 4) + k * 2, w + k * 2, adds || k > 0);
}

#if PROMOTE == 0

__device__ __forceinline__ void accumulate(Shared& shared, const Arguments& g, Consumed& consumed, const Unit& unit,
                                           int group, const Place& place, Total (&sums)[subtiles][sums_of_subtile]) {
  Position& position = consumed.tiles;
  int previous = -1;
  for (int step = unit.first; step < unit.end; ++step) {
    mbarrier_wait(full(shared, position.stage), position.parity);
    wgmma_fence();
    multiply_stage(shared, position.stage, group, sums, step > unit.first);
    wgmma_commit_group();
    wgmma_wait_group<1>();
    if (previous >= 0) release(shared, previous, place);
    previous = position.stage;
    position.advance();
  }
  wgmma_wait_group();
  if (previous >= 0) release(shared, previous, place);
}

#else

#if CHUNKS

/// The scales of one step along K, for the rows and columns of a subtile whose sums this thread has.
struct ChunkFactors {
  float a[2];
  float2 w[BLOCK_N / 8];
};

__device__ __forceinline__ float chunk_scale(const float* scales, int step, int batch, int count, int batches, int i) {
  const long long rows = static_cast<long long>(batches) * count;
  return i < count ? scales[step * rows + static_cast<long long>(batch) * count + i] : 0.0f;
}

__device__ __forceinline__ ChunkFactors load_chunk(const Arguments& g, const Unit& unit, int step, int row) {
  ChunkFactors factors;
#pragma unroll
  for (int half = 0; half < 2; ++half)
    factors.a[half] = chunk_scale(g.a_scale, step, unit.batch, g.m, g.batch, unit.row + row + half * 8);
#pragma unroll
  for (int eight = 0; eight < BLOCK_N / 8; ++eight) {
    const int column = unit.column + eight * 8 + threadIdx.x % 4 * 2;
    factors.w[eight] = {chunk_scale(g.w_scale, step, unit.batch, g.n, g.batch, column),
                        chunk_scale(g.w_scale, step, unit.batch, g.n, g.batch, column + 1)};
  }
  return factors;
}

__device__ __forceinline__ void add_to(float (&totals)[sums_of_subtile], const float (&sums)[sums_of_subtile],
                                       const ChunkFactors& factors) {
#pragma unroll
  for (int i = 0; i < sums_of_subtile; ++i) {
    const float2 w = factors.w[i / 4];
    totals[i] += sums[i] * (factors.a[i % 4 / 2] * (i % 2 == 0 ? w.x : w.y));
  }
}

#else

struct ChunkFactors {};

__device__ __forceinline__ ChunkFactors load_chunk(const Arguments&, const Unit&, int, int) { return {}; }

__device__ __forceinline__ void add_to(float (&totals)[sums_of_subtile], const float (&sums)[sums_of_subtile],
                                       const ChunkFactors&) {
#pragma unroll
  for (int i = 0; i < sums_of_subtile; ++i) totals[i] += sums[i];
}

#endif

/// Adds the products of one step along K to `totals`. Multiplies one subtile after the other, so that all of them use
/// the same accumulator registers.
__device__ __forceinline__ void promote_step(Shared& shared, const Arguments& g, const Unit& unit, int stage, int step,
                                             int group, const Place& place,
                                             Total (&totals)[subtiles][sums_of_subtile]) {
  const unsigned long long a = tile_descriptor(shared.stages[stage] + group * group_rows * block_k);
  const unsigned long long w = tile_descriptor(shared.stages[stage] + a_bytes);
  float sums[sums_of_subtile];
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < 4; ++k) wgmma_ss(sums, a + sub * (64 * block_k >> 4) + k * 2, w + k * 2, k > 0);
    wgmma_commit_group();
    const auto factors = load_chunk(g, unit, step, group * group_rows + sub * 64 + row_in_subtile());
    wgmma_wait_group();
    if (sub == subtiles - 1) release(shared, stage, place);
    add_to(totals[sub], sums, factors);
  }
}

__device__ __forceinline__ void accumulate(Shared& shared, const Arguments& g, Consumed& consumed, const Unit& unit,
                                           int group, const Place& place, Total (&totals)[subtiles][sums_of_subtile]) {
  Position& position = consumed.tiles;
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int i = 0; i < sums_of_subtile; ++i) totals[sub][i] = 0;
#if PROMOTE == 1
  for (int step = unit.first; step < unit.end; ++step) {
    mbarrier_wait(full(shared, position.stage), position.parity);
    promote_step(shared, g, unit, position.stage, step, group, place, totals);
    position.advance();
  }
#else
  static_assert(subtiles == 1, "several steps between promotions need one subtile");
  Sum sums[subtiles][sums_of_subtile];
  for (int step = unit.first; step < unit.end;) {
    const int end = min(unit.end, step + PROMOTE);
    int previous = -1;
    for (const int first = step; step < end; ++step) {
      mbarrier_wait(full(shared, position.stage), position.parity);
      wgmma_fence();
      multiply_stage(shared, position.stage, group, sums, step > first);
      wgmma_commit_group();
      wgmma_wait_group<1>();
      if (previous >= 0) release(shared, previous, place);
      previous = position.stage;
      position.advance();
    }
    wgmma_wait_group();
    release(shared, previous, place);
    add_to(totals[0], sums[0], {});
  }
#endif
}

#endif

#endif

// ---- epilogue: from sums to C

#if BLOCK_SCALES

struct Factors {};

__device__ __forceinline__ Factors load_factors(const Arguments&, const Unit&, int) { return {}; }
__device__ __forceinline__ void share_factors(Shared&, const Factors&, int) {}
__device__ __forceinline__ float row_factor(const Factors&, int, int) { return 1; }

__device__ __forceinline__ float2 column_factors(const Shared&, const Arguments& g, const Unit& unit, int, int column) {
  if (!w_has_rows) return {1, 1};
  const float* const scales = g.w_scale + static_cast<long long>(unit.batch) * g.n;
  return {scales[min(unit.column + column, g.n - 1)], scales[min(unit.column + column + 1, g.n - 1)]};
}

#else

/// What a thread needs for the epilogue besides the sums. Loaded before the main loop, so that the loads overlap
/// with it.
struct Factors {
  float a_scale[subtiles][2];  // rows row_in_subtile() and row_in_subtile() + 8
  float w_scale[2];            // columns 2 · thread and 2 · thread + 1 of the tile
};

__device__ __forceinline__ Factors load_factors(const Arguments& g, const Unit& unit, int group) {
  sync_group(group);  // before this, some threads may still read the last tile's factors
  Factors factors;
  const int thread = threadIdx.x % 128;
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = unit.row + group * group_rows + sub * 64 + row_in_subtile() + half * 8;
      const long long counted = static_cast<long long>(unit.batch) * g.m + row;
      factors.a_scale[sub][half] = CHUNKS ? 1.0f : row < g.m ? g.a_scale[counted] : 0.0f;
    }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int column = unit.column + thread * 2 + i;
    const bool inside = thread * 2 < BLOCK_N && column < g.n;
    const long long counted = static_cast<long long>(unit.batch) * g.n + column;
    factors.w_scale[i] = CHUNKS ? 1.0f : inside ? g.w_scale[counted] : 0.0f;
  }
  return factors;
}

/// Writes the columns' scales to shared memory, for all threads of the warpgroup.
__device__ __forceinline__ void share_factors(Shared& shared, const Factors& factors, int group) {
  const int thread = threadIdx.x % 128;
  if (thread * 2 < BLOCK_N)
    *reinterpret_cast<float2*>(&shared.w_scale[group][thread * 2]) = {factors.w_scale[0], factors.w_scale[1]};
  sync_group(group);
}

__device__ __forceinline__ float row_factor(const Factors& factors, int sub, int half) {
  return factors.a_scale[sub][half];
}
__device__ __forceinline__ float2 column_factors(const Shared& shared, const Arguments&, const Unit&, int group,
                                                 int column) {
  return *reinterpret_cast<const float2*>(&shared.w_scale[group][column]);
}

#endif

/// Two neighbouring elements of C: sums with scales and bias applied, rounded to C's type. `column` is within the tile.
__device__ __forceinline__ Pair finish(const Shared& shared, const Arguments& g, const Unit& unit, int group,
                                       const Total* sums, float a_scale, int column) {
  const float2 w_scale = column_factors(shared, g, unit, group, column);
  float low = static_cast<float>(sums[0]) * (a_scale * w_scale.x);
  float high = static_cast<float>(sums[1]) * (a_scale * w_scale.y);
  if (HAS_BIAS) {
    const Out* const bias = reinterpret_cast<const Out*>(g.bias);
    low += float_of(bias[min(unit.column + column, g.n - 1)]);
    high += float_of(bias[min(unit.column + column + 1, g.n - 1)]);
  }
  return rounded_pair(low, high);
}

#if STORES_TILES

/// A piece of C in shared memory, while a warp writes it.
struct Piece {
  unsigned char* at;  // of the warp's 16 rows of 128 bytes
  int column;         // within the warpgroup's columns

  /// Where 16 bytes of a row are.
  __device__ __forceinline__ unsigned char* chunk(int row, int number) const {
    return at + row * 128 + (number ^ row % 8) * 16;
  }
};

/// Writes a warp's 16 rows of a piece. `pair(eight, half)` makes two neighbouring elements of a row: of eight columns,
/// and of the upper or the lower eight rows.
template <typename MakePair>
__device__ __forceinline__ void fill(const Piece& piece, const MakePair& pair) {
  const int lane = threadIdx.x % 32;
#if OUT_BYTES == 2
#pragma unroll
  for (int eight = 0; eight < out_columns / 8; eight += 2)
    stmatrix(shared_address(piece.chunk(lane % 16, eight + lane / 16)), pair(eight, 0), pair(eight, 1),
             pair(eight + 1, 0), pair(eight + 1, 1));
#else
#pragma unroll
  for (int eight = 0; eight < out_columns / 8; ++eight)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int byte = (eight * 8 + lane % 4 * 2) * OUT_BYTES;
      *reinterpret_cast<Pair*>(piece.chunk(lane / 4 + half * 8, byte / 16) + byte % 16) = pair(eight, half);
    }
#endif
}

/// A warp's part of a piece of C: `i` counts the pieces of a subtile.
__device__ __forceinline__ Piece piece_of(Shared& shared, int group, int sub, int i) {
  const int first_row = threadIdx.x % 128 / 32 * wgmma_piece_rows;
  return {shared.pieces[group][(sub * pieces + i) % staging] + first_row * 128, column_of_piece(i)};
}

__device__ __forceinline__ void fill_piece(const Piece& piece, const Shared& shared, const Arguments& g,
                                           const Unit& unit, int group, int sub, const Total (&sums)[sums_of_subtile],
                                           const Factors& factors) {
  const int column = first_column_of(group) + piece.column + threadIdx.x % 4 * 2;
  fill(piece, [&](int eight, int half) {
    return finish(shared, g, unit, group, sums + (piece.column / 8 + eight) * 4 + half * 2,
                  row_factor(factors, sub, half), column + eight * 8);
  });
}

/// Called by one thread of the warp.
__device__ __forceinline__ void store_piece(const Piece& piece, const TensorMap& c, const Unit& unit, int group,
                                            int sub) {
  const int first_row = threadIdx.x % 128 / 32 * wgmma_piece_rows;
  tma_store(c, shared_address(piece.at), unit.column + first_column_of(group) + piece.column,
            unit.row + first_row_of(group) + sub * 64 + first_row, unit.batch);
}

/// Each warp stores its own rows, in pieces of 16 rows by 128 bytes. It writes one piece after the other to shared
/// memory, swizzled, and stores it by TMA.
__device__ __forceinline__ void write_subtile(Shared& shared, const TensorMap& c, const Arguments& g, const Unit& unit,
                                              int group, int sub, const Total (&sums)[sums_of_subtile],
                                              const Factors& factors) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < pieces; ++i) {
    const Piece piece = piece_of(shared, group, sub, i);
    if (lane == 0) {
      // The last tile's stores may have left off with the piece that this one begins with.
      if (sub == 0 && i == 0)
        tma_store_wait_read<0>();
      else
        tma_store_wait_read<staging - 1>();
    }
    __syncwarp();
    fill_piece(piece, shared, g, unit, group, sub, sums, factors);
    fence_proxy_async();
    __syncwarp();
    if (lane == 0) store_piece(piece, c, unit, group, sub);
  }
}

/// The same where shared memory holds all of a warp's pieces: one fence and one wait for all of them.
__device__ __forceinline__ void write_at_once(Shared& shared, const TensorMap& c, const Arguments& g, const Unit& unit,
                                              int group, const Total (&sums)[subtiles][sums_of_subtile],
                                              const Factors& factors) {
  const bool is_first_lane = threadIdx.x % 32 == 0;
  if (is_first_lane) tma_store_wait_read<0>();
  __syncwarp();
#pragma unroll
  for (int i = 0; i < subtiles * pieces; ++i) {
    const int sub = i / pieces;
    fill_piece(piece_of(shared, group, sub, i % pieces), shared, g, unit, group, sub, sums[sub], factors);
  }
  fence_proxy_async();
  __syncwarp();
  if (is_first_lane) {
#pragma unroll
    for (int i = 0; i < subtiles * pieces; ++i) {
      const int sub = i / pieces;
      store_piece(piece_of(shared, group, sub, i % pieces), c, unit, group, sub);
    }
  }
}

#else

__device__ __forceinline__ void write_pair(const Arguments& g, const Unit& unit, int row, int column, Pair pair) {
  if (row >= g.m) return;
  Out* const at = reinterpret_cast<Out*>(g.c) + (static_cast<long long>(unit.batch) * g.m + row) * g.n + column;
  const Out* const values = reinterpret_cast<const Out*>(&pair);
  if (column < g.n) at[0] = values[0];
  if (column + 1 < g.n) at[1] = values[1];
}

__device__ __forceinline__ void write_subtile(Shared& shared, const TensorMap&, const Arguments& g, const Unit& unit,
                                              int group, int sub, const Total (&sums)[sums_of_subtile],
                                              const Factors& factors) {
  const int thread = threadIdx.x % 128;
  const int row = unit.row + first_row_of(group) + sub * 64 + row_in_subtile();
#pragma unroll
  for (int eight = 0; eight < group_columns / 8; ++eight)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = first_column_of(group) + eight * 8 + thread % 4 * 2;
      write_pair(g, unit, row + half * 8, unit.column + column,
                 finish(shared, g, unit, group, sums + eight * 4 + half * 2, row_factor(factors, sub, half), column));
    }
}

#endif

// ---- split-K: adding up parts along K

/// Where this thread's sums of one part are. Neighbouring sums of a thread are 128 elements apart.
__device__ __forceinline__ Total* partials_of(const Arguments& g, const Unit& unit, int split, int group) {
  const long long part = (static_cast<long long>(unit.tile) * unit.parts + split) * 2 + group;
  return reinterpret_cast<Total*>(g.partials) + part * (group_rows * group_columns) + threadIdx.x % 128;
}

/// Writes this part's sums to global memory. Returns true in the warpgroup that is the last to do so for its rows of
/// the tile. Its `sums` are then those of all parts, added in the order of the parts.
__device__ __forceinline__ bool gather_parts(Shared& shared, const Arguments& g, const Unit& unit, int group,
                                             Total (&sums)[subtiles][sums_of_subtile]) {
  Total* const own = partials_of(g, unit, unit.split, group);
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int i = 0; i < sums_of_subtile; ++i) __stcg(own + (sub * sums_of_subtile + i) * 128, sums[sub][i]);
  __threadfence();
  sync_group(group);
  if (threadIdx.x % 128 == 0) {
    unsigned& count = arrivals[unit.tile * 2 + group];
    const bool last = atomicAdd(&count, 1u) + 1 == static_cast<unsigned>(unit.parts);
    if (last) count = 0;
    shared.last[group] = last;
    __threadfence();
  }
  sync_group(group);
  if (!shared.last[group]) return false;
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int i = 0; i < sums_of_subtile; ++i) sums[sub][i] = 0;
  for (int split = 0; split < unit.parts; ++split) {
    const Total* const part = partials_of(g, unit, split, group);
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
      for (int i = 0; i < sums_of_subtile; ++i) sums[sub][i] += __ldcg(part + (sub * sums_of_subtile + i) * 128);
  }
  return true;
}

/// Writes a unit's sums to C, or to the workspace if other parts along K of the tile are not there yet.
__device__ __forceinline__ void write_unit(Shared& shared, const TensorMap& c, const Arguments& g, const Unit& unit,
                                           int group, const Factors& factors,
                                           Total (&sums)[subtiles][sums_of_subtile]) {
  if (unit.parts > 1 && !gather_parts(shared, g, unit, group, sums)) return;
  share_factors(shared, factors, group);
#if STORES_TILES
  if (starts_ahead && staging >= subtiles * pieces) return write_at_once(shared, c, g, unit, group, sums, factors);
#endif
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) write_subtile(shared, c, g, unit, group, sub, sums[sub], factors);
}

#if BLOCK_SCALES && STARTS_AHEAD

/// The tensor core has the first piece of the next unit while this warpgroup writes C and computes which unit that is.
__device__ __forceinline__ void consume_units(Shared& shared, const TensorMap& c, const Arguments& g,
                                              const Place& place, int group) {
  int index = first_unit();
  if (index >= units(g)) return;
  Consumed consumed{};
  Unit unit = unit_of(index, g, place);
  const Multiplier multiplier = multiplier_of(shared, unit, place, group);
  float sums[piece_sums];
  float totals[subtiles][sums_of_subtile];
  start_unit(multiplier, consumed, sums);
  for (;;) {
    multiply_started(multiplier, consumed, sums, totals);
    index += unit_step();
    if (index >= units(g)) break;
    start_unit(multiplier, consumed, sums);
    write_unit(shared, c, g, unit, group, {}, totals);
    unit = unit_of(index, g, place);
  }
  write_unit(shared, c, g, unit, group, {}, totals);
}

#else

__device__ __forceinline__ void consume_units(Shared& shared, const TensorMap& c, const Arguments& g,
                                              const Place& place, int group) {
  Consumed consumed{};
  Total sums[subtiles][sums_of_subtile];
  for (int index = first_unit(); index < units(g); index += unit_step()) {
    const Unit unit = unit_of(index, g, place);
    const Factors factors = load_factors(g, unit, group);
    accumulate(shared, g, consumed, unit, group, place, sums);
    write_unit(shared, c, g, unit, group, factors, sums);
  }
}

#endif

__device__ __forceinline__ void consume(Shared& shared, const TensorMap& c, const Arguments& g, const Place& place,
                                        int group) {
  pdl_wait();
  pdl_launch_dependents();
  consume_units(shared, c, g, place, group);
  if (STORES_TILES && threadIdx.x % 32 == 0) tma_store_wait_read<0>();
}

extern "C" __global__ void __launch_bounds__(wgmma_threads, 1)
    wgmma_gemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap w,
               const __grid_constant__ TensorMap c, const __grid_constant__ Arguments g) {
  extern __shared__ __align__(1024) unsigned char memory[];
  if (shared_address(memory) % 1024 != 0) __trap();  // the swizzle relies on this alignment
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const Place place = place_in_cluster();
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      mbarrier_init(full(shared, stage), 1);
      mbarrier_init(empty(shared, stage), 2 * (CLUSTER_M + CLUSTER_N - 1));
    }
#if BLOCK_SCALES
    init_scale_barriers(shared);
#endif
    fence_mbarrier_init();
  }
  cluster_sync<cluster>();
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);  // uniform in a warp, as the compiler must see
  if (warpgroup == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(few_registers));
    if (threadIdx.x == 256) produce(shared, a, w, g, place);
#if BLOCK_SCALES
    if (threadIdx.x / 32 == 9) copy_scales(shared, g, place);
#endif
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(many_registers));
    consume(shared, c, g, place, warpgroup);
  }
  __syncwarp();
  // A block must not exit before the other blocks' last arrivals at its mbarriers. cluster_sync() waits for them,
  // because its arrive has release semantics.
  if (cluster > 1) cluster_sync<cluster>();
}
