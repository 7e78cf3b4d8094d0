// From sums to C in w4_multiply.cu: factors, bias, and writing.
#pragma once

#include "gemmtune/kernels/stream/reduce.cuh"
#include "gemmtune/kernels/stream/write.cuh"
#include "gemmtune/kernels/w4/w4_layout.cuh"

/// What a thread's sums are multiplied by, and what is added to them: for its two rows of each of its groups of 64.
struct Factors {
  float base[subtiles][2];
  float bias[subtiles][2];
};

/// `row` is the first of the thread's rows.
__device__ inline Factors load_factors(const Arguments& g, int batch, int row) {
  Factors factors;
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = row + sub * 64 + 8 * half;
      factors.base[sub][half] = n < g.n ? g.base[(i64)batch * g.brick_rows * 64 + n] : 0;
      factors.bias[sub][half] = 0;
#if W4_BIAS
      if (n < g.n) factors.bias[sub][half] = float_of(((const Out*)g.bias)[n]);
#endif
    }
  return factors;
}

/// The scales of the tile's tokens, dealt out to the threads of a warpgroup.
struct TokenScales {
  static constexpr int count = is_fp8 ? (tokens + 127) / 128 : 1;
  float of[count];
};

__device__ inline TokenScales load_token_scales(const Arguments& g, const Tile& tile) {
  TokenScales scales;
#pragma unroll
  for (int i = 0; i < TokenScales::count; ++i) {
    const int token = tile.token + i * 128 + threadIdx.x % 128;
    scales.of[i] = 0;
    if (!is_fp8) continue;
    if (!has_token_scales)
      scales.of[i] = g.a_scale[tile.batch];
    else if (token < g.m)
      scales.of[i] = g.a_scale[(i64)tile.batch * g.m + token];
  }
  return scales;
}

/// Waits for the other threads of the warpgroup.
__device__ inline void sync_warpgroup(int warpgroup) { named_barrier_sync(8 + warpgroup, 128); }

/// Gives all threads of the warpgroup the scales of all tokens.
__device__ inline void share(const TokenScales& scales, const Shared& shared, int warpgroup) {
  if (!is_fp8) return;
  if (is_persistent) sync_warpgroup(warpgroup);  // those of the last tile have been read
#pragma unroll
  for (int i = 0; i < TokenScales::count; ++i) {
    const int token = i * 128 + threadIdx.x % 128;
    if (token < tokens) st_shared_f32(shared.token_scales(warpgroup) + token * 4, scales.of[i]);
  }
  sync_warpgroup(warpgroup);
}

struct Writer {
  Output out;
  const Tile& tile;
  const Factors& factors;
  u32 token_scales;
  u32 lines;
  int warpgroup;
  int group_row;  // the first row of W of the warpgroup

  /// The scales of a thread's two tokens of eight.
  __device__ float2 scales_of(int eight) const {
    if (!is_fp8) return {1, 1};
    return ld_shared_v2_f32(token_scales + (eight * 8 + token_of_thread()) * 4);
  }

  /// Two elements of C from their sums.
  __device__ float2 finish(const float* sums, float2 scales, int sub, int half) const {
    const float base = factors.base[sub][half];
    const float bias = factors.bias[sub][half];
    if (!is_fp8) return {sums[0] * base + bias, sums[1] * base + bias};
    return {sums[0] * (scales.x * base) + bias, sums[1] * (scales.y * base) + bias};
  }

  __device__ void write(const Piece& piece, int sub, int eight) const {
    const int token = tile.token + eight * 8 + token_of_thread();
    const float2 scales = scales_of(eight);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int n = group_row + row_of_thread() + sub * 64 + 8 * half;
      const float2 two = finish(piece.of + 2 * half, scales, sub, half);
      if constexpr (writes_pairs) {
        out.write_pairs(token, n, two.x, two.y);
      } else {
        out.write_one(token, n, two.x);
        out.write_one(token + 1, n, two.y);
      }
    }
  }

#if W4_LINES
  // C in lines: 64 rows of W are 128 bytes of a row of C. 32 tokens at a time are transposed on their way to shared
  // memory, where eight threads take the line of a token. 16 bytes of a line stand at their number xor token % 8.

  __device__ u32 line_part(int token, int part) const { return lines + token * 128 + (part ^ token % 8) * 16; }

  /// Puts 16 tokens, from `token` on among the 32, into shared memory. `sums` has those of the first two.
  __device__ void put(const float* sums, int sub, int token, int first_eight) const {
    u32 pairs[4];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float2 scales = scales_of(first_eight + i);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float2 two = finish(sums + i * 4 + half * 2, scales, sub, half);
        pairs[i * 2 + half] = rounded_pair(two.x, two.y);
      }
    }
    const int lane = threadIdx.x % 32;
    stmatrix_transposed(line_part(token + lane / 16 * 8 + lane % 8, threadIdx.x % 128 / 32 * 2 + lane / 8 % 2),
                        pairs[0], pairs[1], pairs[2], pairs[3]);
  }

  /// Writes the 32 tokens from `first` of the tile on.
  __device__ void take(int sub, int first) const {
    const int part = threadIdx.x % 8;
    const int column = group_row + sub * 64 + part * 8;
#pragma unroll
    for (int i = 0; i < gemmtune::w4_lines_tokens; i += 16) {
      const int in_lines = i + threadIdx.x % 128 / 8;
      const int token = tile.token + first + in_lines;
      if (token < out.m && column < out.n)
        *(uint4*)(out.c + (i64)token * out.n + column) = ld_shared_v4(line_part(in_lines, part));
    }
  }

  __device__ void write_all_lines(const float (&totals)[subtiles][held]) const {
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub)
#pragma unroll
      for (int first = 0; first < tokens; first += gemmtune::w4_lines_tokens) {
        sync_warpgroup(warpgroup);
#pragma unroll
        for (int i = 0; i < gemmtune::w4_lines_tokens; i += 16)
          put(&totals[sub][(first + i) / 2], sub, i, (first + i) / 8);
        sync_warpgroup(warpgroup);
        take(sub, first);
      }
  }
#endif
};
