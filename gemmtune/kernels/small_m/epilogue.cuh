// The epilogue of the small-M kernels: sums become C, and elements whose sum may be wrong are computed again in double.
#pragma once

#include "gemmtune/kernels/output_element.cuh"
#include "gemmtune/kernels/small_m/exact.cuh"
#include "gemmtune/kernels/small_m/tile.cuh"

struct EpilogueArguments {
  const u8* a;
  const u8* a_scale;
  const float* a_base;  // the base of each folded row; 0 for a row that was not folded
  const u8* packed;
  const float* w_base;
  const Out* bias;
  Out* c;
};

/// The factors of a thread's sums, and what is added to them: for two rows of W that are 8 apart, and for two rows in
/// each 8 rows of A.
struct Factors {
  float w_base[2];
  float bias[2];
  float a_base[tile_m / 8][2];
};

/// A thread's first element of C.
struct Corner {
  i64 row_of_a;  // counted over all batches
  int rows;      // rows of A from there to the end
  int n;
  const u8* bricks;  // of the 64 rows of W
};

__device__ inline Corner corner_of(const EpilogueArguments& results, const Sizes& s, const Tile& tile, int group,
                                   int thread) {
  const int m = tile.m_tile * tile_m + thread % 4 * 2;
  const i64 w_tile = (i64)tile.batch * s.w_tiles + tile.w_tile + group;
  return {(i64)tile.batch * s.m + m, s.m - m, (tile.w_tile + group) * 64 + thread / 32 * 16 + thread % 32 / 4,
          results.packed + w_tile * chunks_of(s) * brick_bytes};
}

/// Called before the sums are complete, so that the loads overlap with them.
__device__ inline Factors load_factors(const EpilogueArguments& results, const Sizes& s, const Tile& tile,
                                       const Corner& corner) {
  Factors f;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int n = corner.n + 8 * half;
    f.w_base[half] = n < s.n ? results.w_base[(i64)tile.batch * s.w_tiles * 64 + n] : 0;
    f.bias[half] = 0;
#if SMALL_M_BIAS
    if (n < s.n) f.bias[half] = float_of(results.bias[n]);
#endif
  }
#pragma unroll
  for (int j = 0; j < tile_m / 8; ++j)
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      f.a_base[j][i] = 1;
      if (a_is_folded && 8 * j + i < corner.rows) f.a_base[j][i] = results.a_base[corner.row_of_a + 8 * j + i];
    }
  return f;
}

/// Whether a sum may be wrong: its row was not folded, or float has overflowed on the way, or what float rounds below
/// its normal numbers could be seen once it is multiplied by w_base.
__device__ inline bool is_doubtful(float sum, float a_base, float w_base) {
  if (a_is_folded) return a_base == 0;
  const float magnitude = fabsf(sum);
  return !(magnitude <= 0x1.fffffep127f) || (magnitude < 0x1p-100f && w_base > 1);
}

__device__ inline void write_one(Out* c, const Sizes& s, const Corner& corner, int i, int half, float value) {
  const int n = corner.n + 8 * half;
  if (i < corner.rows && n < s.n) c[(corner.row_of_a + i) * s.n + n] = rounded(value);
}

/// Rows i and i + 1 of A. Where rows of C allow it, two rows of A in one row of W become two rows of W in one row of A,
/// with the thread that is 4 lanes off.
__device__ inline void write_two(Out* c, const Sizes& s, const Corner& corner, int i, int half, float first,
                                 float second) {
#if OUT_BYTES == 2
  if (s.n % 2 == 0) {
    const u32 own = rounded_pair(first, second);
    const u32 other = __shfl_xor_sync(0xffffffffu, own, 4);
    const int odd = threadIdx.x / 4 % 2;
    const int n = corner.n + 8 * half - odd;
    if (i + odd < corner.rows && n < s.n)
      *(u32*)(c + (corner.row_of_a + i + odd) * s.n + n) =
          odd ? __byte_perm(other, own, 0x7632) : __byte_perm(own, other, 0x5410);
    return;
  }
#endif
  write_one(c, s, corner, i, half, first);
  write_one(c, s, corner, i + 1, half, second);
}

constexpr int held_words = (held + 31) / 32;

/// Computes the doubtful elements again. `doubtful` has a bit for each sum.
__device__ inline void rewrite(const EpilogueArguments& results, const Sizes& s, const Corner& corner, const Factors& f,
                               const u32 (&doubtful)[held_words]) {
  __syncwarp();  // orders this after what other threads wrote there
#pragma unroll 1
  for (int i = 0; i < held; ++i) {
    const u32 bits = i < 32 ? doubtful[0] : doubtful[held_words - 1];
    const int row = i / 4 * 8 + i % 2;
    const bool lower = i / 2 % 2 != 0;
    const int n = corner.n + (lower ? 8 : 0);
    if ((bits >> (i % 32) & 1u) == 0 || row >= corner.rows || n >= s.n) continue;
    const PackedRow w = {corner.bricks, n % 64, lower ? f.w_base[1] : f.w_base[0]};
    const int blocks = s.k / 32;
    const i64 first = (corner.row_of_a + row) * blocks;
    const float exact = exact_element(results.a + first * 16, results.a_scale + first, blocks, w);
    write_one(results.c, s, corner, row, lower, exact + (lower ? f.bias[1] : f.bias[0]));
  }
}

__device__ inline void write(const EpilogueArguments& results, const Sizes& s, const Corner& corner, const Factors& f,
                             const float (&sums)[held]) {
  u32 doubtful[held_words] = {};
  u32 any = 0;
#pragma unroll
  for (int j = 0; j < tile_m / 8; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float finished[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int at = 4 * j + 2 * half + i;
        // 2^-6: values of W that hold their scales stand 2^6 too high.
        const float scaled = a_is_folded ? sums[at] * (f.a_base[j][i] * 0x1p-6f) : sums[at];
        finished[i] = scaled * f.w_base[half] + f.bias[half];
        doubtful[at / 32] |= (u32)is_doubtful(sums[at], f.a_base[j][i], f.w_base[half]) << (at % 32);
      }
      write_two(results.c, s, corner, 8 * j, half, finished[0], finished[1]);
    }
#pragma unroll
  for (int i = 0; i < held_words; ++i) any |= doubtful[i];
  if (__any_sync(0xffffffffu, any != 0)) rewrite(results, s, corner, f, doubtful);
}
