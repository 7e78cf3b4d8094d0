// C = A · Wᵀ for few rows of A: weights stay 4-bit in memory, stream once through shared memory, and become e4m3 in the
// registers from which wgmma takes its first operand. So C is computed transposed: 64 rows of W are wgmma's M, the rows
// of A its N. stream.h says what the parameters are, docs/mxfp4-on-hopper.md how and why.
//
// A block has a warp that copies W, one that copies A, warps that make A's codes e4m3 (the rest of the first 4 or 8),
// and warpgroups that multiply: `row_groups` side by side along W's rows, times `k_groups` that share rows and split K.
// Blocks of a cluster share rows, too. Units of 256 of K are dealt out in turn to all who share rows.

// ---- W: packed codes in registers

/// What a thread holds of 64 rows × 128 of K: wgmma's first operand of four steps, and the scales of its two rows.
struct Fragments {
  u32 step[4][4];
  uint2 scales;
};

/// A word of packed codes to a row's bytes in wgmma's first operand: k … k+3, and k+16 … k+19.
__device__ inline void expand(u32 word, u32 shift, u32& first, u32& second) {
  const auto bytes = row_base ? gemmtune::unpack_looked_up(word, gemmtune::stream_magnitudes(shift), Picker{})
                              : gemmtune::unpack_moved(word);
  first = bytes.first;
  second = bytes.second;
}

__device__ inline void load_fragments(Fragments& f, u32 brick, int warp, int lane) {
  const u32 codes = brick + (warp * 32 + lane) * 16;
  f.scales = shared_load2(brick + 4096 + (warp * 8 + lane / 4) * 8);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint4 words = shared_load4(codes + half * 2048);
    const u32 of_step[2][2] = {{words.x, words.y}, {words.z, words.w}};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int step = 2 * half + i;
      const u32 upper = row_base ? (f.scales.x >> (8 * step)) & 0xffu : 0;
      const u32 lower = row_base ? (f.scales.y >> (8 * step)) & 0xffu : 0;
      expand(of_step[i][0], upper, f.step[step][0], f.step[step][2]);
      expand(of_step[i][1], lower, f.step[step][1], f.step[step][3]);
    }
  }
}

/// The scale of step `step` from the bytes of four: they are exponents of f32.
__device__ inline float block_scale(u32 bytes, int step) {
  const u32 shifted = step == 3 ? bytes >> 1 : bytes << (23 - 8 * step);
  return __uint_as_float(shifted & 0x7f800000u);
}

// ---- the products

constexpr int sets = 4 / steps;  // accumulators' sets in flight: one for each sum that is promoted by itself

__device__ inline u64 descriptor(u32 address) {
  return (u64)((address & 0x3ffff) >> 4) | (u64)(128 >> 4) << 16 | (u64)(256 >> 4) << 32;
}

struct Sums {
  float value[sets][held];
};

__device__ inline void pin(Sums& sums) {
#pragma unroll
  for (int s = 0; s < sets; ++s)
#pragma unroll
    for (int i = 0; i < held; ++i) asm volatile("" : "+f"(sums.value[s][i])::"memory");
}

/// Codes are expanded before the fence, not after it, whatever the compiler would like.
__device__ inline void pin(Fragments& f) {
#pragma unroll
  for (int step = 0; step < 4; ++step)
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(f.step[step][i])::"memory");
}

__device__ inline void start_products(Sums& sums, Fragments& f, u32 a_chunk) {
  pin(f);
  tensor_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step)
    multiply(sums.value[step / steps], f.step[step], descriptor(a_chunk + step * a_step_bytes), step % steps != 0);
  tensor_commit();
}

/// Adds what the tensor core has summed to the sums in f32, times the scales; a_scales is that of column 2(lane%4).
__device__ inline void promote(float (&total)[held], const float (&sum)[held], u32 a_scales, float upper, float lower) {
#pragma unroll
  for (int j = 0; j < tile_m / 8; ++j) {
    const float2 scale = shared_load2f(a_scales + j * 32);
    if (row_base) {
      total[4 * j] = fmaf(sum[4 * j], scale.x, total[4 * j]);
      total[4 * j + 1] = fmaf(sum[4 * j + 1], scale.y, total[4 * j + 1]);
      total[4 * j + 2] = fmaf(sum[4 * j + 2], scale.x, total[4 * j + 2]);
      total[4 * j + 3] = fmaf(sum[4 * j + 3], scale.y, total[4 * j + 3]);
    } else {
      total[4 * j] = fmaf(sum[4 * j], scale.x * upper, total[4 * j]);
      total[4 * j + 1] = fmaf(sum[4 * j + 1], scale.y * upper, total[4 * j + 1]);
      total[4 * j + 2] = fmaf(sum[4 * j + 2], scale.x * lower, total[4 * j + 2]);
      total[4 * j + 3] = fmaf(sum[4 * j + 3], scale.y * lower, total[4 * j + 3]);
    }
  }
}

__device__ inline void finish_products(float (&total)[held], Sums& sums, const uint2& w_scales, u32 a_scales) {
  tensor_wait();
  pin(sums);
#pragma unroll
  for (int s = 0; s < sets; ++s) {
    const int last = (s + 1) * steps - 1;
    promote(total, sums.value[s], a_scales + last * tile_m * 4, block_scale(w_scales.x, last),
            block_scale(w_scales.y, last));
  }
}

/// A unit in which rows of A have blocks too far apart for one base in 128 of K: each block by itself.
__device__ inline void multiply_wide(float (&total)[held], u32 w, u32 a, u32 a_scales, int warp, int lane) {
#pragma unroll 1
  for (int step = 0; step < 8; ++step) {
    const u32 brick = w + step / 4 * brick_bytes;
    const uint2 scales = shared_load2(brick + 4096 + (warp * 8 + lane / 4) * 8);
    const uint2 words = shared_load2(brick + step % 4 / 2 * 2048 + (warp * 32 + lane) * 16 + step % 2 * 8);
    const int by = 8 * (step % 4);
    Fragments f;
    expand(words.x, scales.x >> by & 0xffu, f.step[0][0], f.step[0][2]);
    expand(words.y, scales.y >> by & 0xffu, f.step[0][1], f.step[0][3]);
    float sum[held];
    tensor_fence();
    multiply(sum, f.step[0], descriptor(a + step * a_step_bytes), false);
    tensor_commit();
    tensor_wait();
#pragma unroll
    for (int i = 0; i < held; ++i) asm volatile("" : "+f"(sum[i])::"memory");
    promote(total, sum, a_scales + step * tile_m * 4, 1, 1);
  }
}

/// Whether a unit of A has such rows: a flag for each item.
__device__ inline bool any_wide(u32 flags) {
  if (steps == 1) return false;
  u32 any = 0;
#pragma unroll
  for (int i = 0; i < items / 2; ++i) {
    u32 two;
    asm volatile("ld.shared.u16 %0, [%1];" : "=r"(two) : "r"(flags + 2 * i));
    any |= two;
  }
  return any != 0;
}

/// One thread: keeps every warpgroup's ring of W filled.
__device__ inline void copy_weights(const Shared& shared, const u8* packed, const Sizes& s, int units) {
  const int rank = cluster_rank();
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
          barrier_wait(shared.w_empty(group, ring[q].stage), ring[q].phase);
          barrier_expect(full, unit_bytes);
          copy_bulk(shared.w(group, ring[q].stage), rows[r] + (i64)unit * unit_bytes, unit_bytes, full);
        }
        ring[q].next(w_stages);
      }
  }
}

/// One warp.
__device__ inline void init_barriers(const Shared& shared, int lane) {
  if (lane == 0) {
#pragma unroll
    for (int i = 0; i < groups * w_stages; ++i) {
      barrier_init(shared.w_full(0, i), 1);
      barrier_init(shared.w_empty(0, i), 4);
    }
#pragma unroll
    for (int stage = 0; stage < a_stages; ++stage) {
      barrier_init(shared.a_full(stage), converters);
      barrier_init(shared.a_empty(stage), 4 * row_groups);
    }
#pragma unroll
    for (int group = 0; group < row_groups; ++group) {
      barrier_init(shared.far_full(group), cluster > 1 ? (cluster - 1) * 128 : 1);
      barrier_init(shared.far_empty(group), 128);
    }
    barriers_are_ready();
  }
  __syncwarp();
}

// ---- results

/// Sums of the warpgroups that share rows, and of the blocks that do, in one order always.
struct Reduction {
  u32 far_phase = 0;
  bool first = true;
};

/// Whether this thread has what is to be written.
__device__ inline bool reduce(float (&total)[held], const Shared& shared, Reduction& state, int r, int q, int thread) {
  const int full = 1 + 2 * r;
  const int empty = 2 + 2 * r;
  if (k_groups > 1) {
    if (q > 0) {
      if (!state.first) wait_named(empty, k_groups * 128);
      state.first = false;
#pragma unroll
      for (int i = 0; i < held; ++i) shared_storef(shared.sums(r, q - 1) + (i * 128 + thread) * 4, total[i]);
      arrive_named(full, k_groups * 128);
      return false;
    }
    wait_named(full, k_groups * 128);
    for (int other = 1; other < k_groups; ++other)
#pragma unroll
      for (int i = 0; i < held; ++i) total[i] += shared_loadf(shared.sums(r, other - 1) + (i * 128 + thread) * 4);
    arrive_named(empty, k_groups * 128);
  }
  if (cluster == 1) return true;
  const int finisher = r % cluster;
  const int slot = ((int)cluster_rank() - finisher + cluster) % cluster;  // 0 is the finisher's
  if (slot > 0) {
    barrier_wait_cluster(shared.far_empty(r), state.far_phase ^ 1);
    state.far_phase ^= 1;
    const u32 there = in_block(shared.far_sums(r, slot - 1), finisher);
#pragma unroll
    for (int i = 0; i < held; ++i) store_far(there + (i * 128 + thread) * 4, total[i]);
    barrier_arrive_far(in_block(shared.far_full(r), finisher));
    return false;
  }
  barrier_wait_cluster(shared.far_full(r), state.far_phase);
  state.far_phase ^= 1;
  for (int other = 1; other < cluster; ++other)
#pragma unroll
    for (int i = 0; i < held; ++i) total[i] += shared_loadf(shared.far_sums(r, other - 1) + (i * 128 + thread) * 4);
  for (int other = 1; other < cluster; ++other)
    barrier_arrive_far(in_block(shared.far_empty(r), (finisher + other) % cluster));
  return true;
}

struct Results {
  const float* base;
  const Out* bias;
  Out* c;
};

struct Row {
  int n;
  float base;
  float bias;
};

__device__ inline Row row_at(const Results& results, const Sizes& s, const Tile& tile, int n) {
  Row row = {n, 0, 0};
  if (n >= s.n) return row;
  row.base = __ldg(results.base + (i64)tile.batch * s.w_tiles * 64 + n);
#if STREAM_BIAS
  row.bias = float_of(results.bias[n]);
#endif
  return row;
}

__device__ inline void write_row(const Results& results, const Sizes& s, const Tile& tile, const Row& row, int m,
                                 float value) {
  if (m >= s.m || row.n >= s.n) return;
  float scaled = value * row.base;
#if STREAM_BIAS
  scaled += row.bias;
#endif
  results.c[((i64)tile.batch * s.m + m) * s.n + row.n] = rounded(scaled);
}

__device__ inline void multiply_tiles(const Shared& shared, const Results& results, const Sizes& s, int units,
                                      int group) {
  const int r = group / k_groups;
  const int q = group % k_groups;
  const int thread = threadIdx.x % 128;
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int rank = cluster_rank();
  const int mine = units_of(units, rank * k_groups + q);
  int of_block = 0;
#pragma unroll
  for (int other = 0; other < k_groups; ++other) of_block += units_of(units, rank * k_groups + other);

  Ring w_ring = {0, 0};
  int a_unit = 0;  // the ring of A is everyone's: the number of the tile's first unit in it
  Reduction reduction;
  Sums sums;

  for (int index = blockIdx.x / cluster; index < tile_count(s); index += gridDim.x / cluster) {
    const Tile tile = tile_at(s, index);
    const int n = (tile.w_tile + r) * 64 + warp * 16 + lane / 4;
    const Row upper = row_at(results, s, tile, n);
    const Row lower = row_at(results, s, tile, n + 8);
    float total[held];
#pragma unroll
    for (int i = 0; i < held; ++i) total[i] = 0;

    Fragments even;
    Fragments odd;
    if (mine > 0) {
      barrier_wait(shared.w_full(group, w_ring.stage), w_ring.phase);
      load_fragments(even, shared.w(group, w_ring.stage), warp, lane);
    }
    for (int i = 0; i < mine; ++i) {
      const int number = a_unit + i * k_groups + q;
      const int a_stage = number % a_stages;
      const u32 a = shared.a(a_stage);
      const u32 w = shared.w(group, w_ring.stage);
      const u32 a_scales = shared.scales(a_stage) + lane % 4 * 8;
      barrier_wait(shared.a_full(a_stage), number / a_stages & 1);
      const auto release_weights = [&] {
        __syncwarp();
        if (lane == 0) barrier_arrive(shared.w_empty(group, w_ring.stage));
        w_ring.next(w_stages);
      };
      const auto load_next = [&] {
        if (i + 1 >= mine) return;
        barrier_wait(shared.w_full(group, w_ring.stage), w_ring.phase);
        load_fragments(even, shared.w(group, w_ring.stage), warp, lane);
      };
      if (any_wide(shared.wide(a_stage))) {
        multiply_wide(total, w, a, a_scales, warp, lane);
        release_weights();
        load_next();
      } else {
        start_products(sums, even, a);
        load_fragments(odd, w + brick_bytes, warp, lane);
        release_weights();
        finish_products(total, sums, even.scales, a_scales);
        start_products(sums, odd, a + 4 * a_step_bytes);
        load_next();
        finish_products(total, sums, odd.scales, a_scales + 4 * tile_m * 4);
      }
      __syncwarp();
      if (lane == 0) barrier_arrive(shared.a_empty(a_stage));
    }
    a_unit += of_block;

    if (!reduce(total, shared, reduction, r, q, thread)) continue;
#pragma unroll
    for (int j = 0; j < tile_m / 8; ++j) {
      const int m = tile.m_tile * tile_m + j * 8 + lane % 4 * 2;
      write_row(results, s, tile, upper, m, total[4 * j]);
      write_row(results, s, tile, upper, m + 1, total[4 * j + 1]);
      write_row(results, s, tile, lower, m, total[4 * j + 2]);
      write_row(results, s, tile, lower, m + 1, total[4 * j + 3]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads, 1)
    multiply_stream(const u8* a, const u8* a_scale, const u8* packed, const float* base, const Out* bias, Out* c,
                    Sizes sizes) {
  extern __shared__ __align__(128) u8 memory[];
  const Shared shared = {shared_address(memory)};
  const int warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);  // the same for all, which the compiler must see
  const int units = (sizes.k + unit_k - 1) / unit_k;
  int started = 0;
  if (warp == 0) init_barriers(shared, threadIdx.x);
  if (warp == 1) started = start_activations(shared, a, a_scale, sizes, units, threadIdx.x % 32);
  sync_cluster();
  if (warp < 2 + converters) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(few_registers));
    if (threadIdx.x == 0)
      copy_weights(shared, packed, sizes, units);
    else if (warp == 1)
      copy_activations(shared, a, a_scale, sizes, units, threadIdx.x % 32, started);
    else if (warp > 1)
      convert_activations(shared, sizes, units, warp - 2, threadIdx.x % 32);
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(many_registers));
    multiply_tiles(shared, {base, bias, c}, sizes, units, warp / 4 - other_groups);
  }
  if (cluster > 1) sync_cluster();  // no block goes while others may still write to its memory
}
