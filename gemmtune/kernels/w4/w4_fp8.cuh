// The warpgroups of w4_multiply.cu that multiply where A is in E4M3. Weights become E4M3 (w4_fp8_bits.h).
//
// The tensor core does not add products of FP8 in float (docs/verifying.md). So the sums of each 128 of K are moved to
// float, and multiplied by the factors of W's rows on the way. Meanwhile, and while it expands the next codes, a
// warpgroup leaves the tensor core to others.
#pragma once

#include "gemmtune/kernels/w4/w4_consumer.cuh"
#include "gemmtune/kernels/w4/w4_fp8_bits.h"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_from_registers.cuh"

/// Many tokens are multiplied in two parts, which have the same registers for their sums, one after the other.
constexpr int token_parts = tokens > 128 ? 2 : 1;
constexpr int part_held = held / token_parts;

/// What a thread reads of 64 rows × 128 of K: codes, and shifts and factors of its two rows.
struct Codes {
  uint4 words[2];
  uint2 scales;
};

/// The table for block `block` of one row.
__device__ inline gemmtune::E4M3Magnitudes table_of(u32 shifts, int block) {
  return gemmtune::e4m3_magnitudes(Prmt{}(shifts, 0, 0x4440 | block));
}

__device__ inline void expand(Fragments& f, const Codes& codes) {
  const u32 words[8] = {codes.words[0].x, codes.words[0].y, codes.words[0].z, codes.words[0].w,
                        codes.words[1].x, codes.words[1].y, codes.words[1].z, codes.words[1].w};
  const u32 shifts[2] = {gemmtune::w4_fp8_first_shifts(codes.scales.x), gemmtune::w4_fp8_second_shifts(codes.scales.x)};
#pragma unroll
  for (int step = 0; step < 4; ++step)
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const auto [first, second] =
          gemmtune::unpack_looked_up(words[2 * step + row], table_of(shifts[row], step), Prmt{});
      f.step[step][row] = first;
      f.step[step][row + 2] = second;
    }
}

/// The factors of a thread's two rows.
__device__ inline float2 factors_of(const Codes& codes) {
  return {__uint_as_float(gemmtune::w4_fp8_first_factor(codes.scales.y)),
          __uint_as_float(gemmtune::w4_fp8_second_factor(codes.scales.y))};
}

/// A unit of a warpgroup's work is one of its groups of 64 rows × 128 of K.
struct Multiplier : Consumer {
  __device__ Codes read(int stage, int sub) const {
    const u32 from = brick(stage, sub);
    const int thread = threadIdx.x % 128;
    return {{ld_shared_v4(from + thread * 16), ld_shared_v4(from + 2048 + thread * 16)},
            ld_shared_v2(from + gemmtune::w4_codes_bytes + thread / 4 * 8)};
  }

  __device__ void start(float (&sums)[part_held], Fragments& f, int part) const {
    const u32 a = activations(ring.stage) + part * (panel_bytes / token_parts / 16);
    pin(f);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step)
      wgmma_rs(sums, f.step[step], wgmma_swizzled_descriptor(a + 2 * step), step > 0);
    wgmma_commit_group();
  }

  /// Reads the codes of the unit after that of group `sub`, if there is one. The next chunk has to arrive before.
  __device__ void read_next(Codes& codes, int sub, bool is_last) const {
    if (sub + 1 < subtiles) {
      codes = read(ring.stage, sub + 1);
    } else if (!is_last) {
      Ring<stages> next = ring;
      next.advance(k_groups);
      mbarrier_wait(shared.full(next.stage), next.phase);
      codes = read(next.stage, 0);
    }
  }

  /// Adds the products of one chunk. `codes` has its first unit, and afterwards that of the next chunk.
  __device__ void multiply_chunk(float (&totals)[subtiles][held], Codes& codes, bool is_last) const {
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub) {
      Fragments f;
      expand(f, codes);
      const float2 factors = factors_of(codes);
#pragma unroll
      for (int part = 0; part < token_parts; ++part) {
        float sums[part_held];
        start(sums, f, part);
        if (part == 0) read_next(codes, sub, is_last);
        wgmma_wait_group<0>();
        pin(sums);
        if (sub + 1 == subtiles && part + 1 == token_parts) release(ring.stage, left);
#pragma unroll
        for (int i = 0; i < part_held; ++i)
          totals[sub][part * part_held + i] += sums[i] * (i / 2 % 2 == 0 ? factors.x : factors.y);
      }
    }
  }

  /// Adds the products of `count` chunks, of which each k_groups-th is this warpgroup's.
  __device__ void multiply(float (&totals)[subtiles][held], int count) {
    if (k_group >= count) return;
    mbarrier_wait(shared.full(ring.stage), ring.phase);
    Codes codes = read(ring.stage, 0);
#pragma unroll 1
    for (int i = k_group; i < count; i += k_groups) {
      multiply_chunk(totals, codes, i + k_groups >= count);
      ring.advance(k_groups);
      left -= k_groups;
    }
  }
};
