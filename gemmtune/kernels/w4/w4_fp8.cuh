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

/// How many of the four steps of 128 of K are expanded before the first of them is given to the tensor core. With many
/// tokens, it multiplies two of them while the other two are expanded. With few, it is hardly busy.
constexpr int steps_at_once = tokens >= 64 ? 2 : 4;

/// What a thread reads of 64 rows × 128 of K: codes, and shifts and factors of its two rows.
struct Codes {
  uint4 words[2];
  uint2 scales;
};

/// The table for block `block` of one row.
__device__ inline gemmtune::E4M3Magnitudes table_of(u32 shifts, int block) {
  return gemmtune::e4m3_magnitudes(Prmt{}(shifts, 0, 0x4440 | block));
}

/// Expands the codes of 32 of K.
__device__ inline void expand(u32 (&registers)[4], const Codes& codes, int step) {
  const uint4 words = codes.words[step / 2];
  const u32 shifts[2] = {gemmtune::w4_fp8_first_shifts(codes.scales.x), gemmtune::w4_fp8_second_shifts(codes.scales.x)};
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const u32 word = step % 2 == 0 ? (row == 0 ? words.x : words.y) : (row == 0 ? words.z : words.w);
    const auto [first, second] = gemmtune::unpack_looked_up(word, table_of(shifts[row], step), Prmt{});
    registers[row] = first;
    registers[row + 2] = second;
  }
}

/// The factors of a thread's two rows.
__device__ inline float2 factors_of(const Codes& codes) {
  return {__uint_as_float(gemmtune::w4_fp8_first_factor(codes.scales.y)),
          __uint_as_float(gemmtune::w4_fp8_second_factor(codes.scales.y))};
}

/// A unit of a warpgroup's work is one of its groups of 64 rows × 128 of K.
struct Multiplier : Consumer {
  /// The codes of the first or second 64 of K.
  __device__ uint4 read_words(int stage, int sub, int half) const {
    return ld_shared_v4(brick(stage, sub) + half * 2048 + threadIdx.x % 128 * 16);
  }

  /// Leaves out the second half, if that is read later.
  __device__ void read(Codes& codes, int stage, int sub) const {
    codes.words[0] = read_words(stage, sub, 0);
    if (steps_at_once == 4) codes.words[1] = read_words(stage, sub, 1);
    codes.scales = ld_shared_v2(brick(stage, sub) + gemmtune::w4_codes_bytes + threadIdx.x % 128 / 4 * 8);
  }

  /// Expands the codes of a unit and starts its products with the first part of the tokens.
  __device__ void expand_and_start(float (&sums)[part_held], Fragments& f, Codes& codes, int sub) const {
    const u32 a = activations(ring.stage);
#pragma unroll
    for (int first = 0; first < 4; first += steps_at_once) {
      // Reading them here keeps the compiler from expanding them before.
      if (first > 0) codes.words[1] = read_words(ring.stage, sub, 1);
#pragma unroll
      for (int step = first; step < first + steps_at_once; ++step) {
        expand(f.step[step], codes, step);
        pin(f.step[step]);
      }
      wgmma_fence();
#pragma unroll
      for (int step = first; step < first + steps_at_once; ++step)
        wgmma_rs(sums, f.step[step], wgmma_swizzled_descriptor(a + 2 * step), step > 0);
    }
    wgmma_commit_group();
  }

  /// The same with another part, once the codes are expanded.
  __device__ void start(float (&sums)[part_held], Fragments& f, int part) const {
    const u32 a = activations(ring.stage) + part * (panel_bytes / token_parts / 16);
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step)
      wgmma_rs(sums, f.step[step], wgmma_swizzled_descriptor(a + 2 * step), step > 0);
    wgmma_commit_group();
  }

  /// Reads the codes of the unit after that of group `sub`, if there is one. The next chunk has to arrive before.
  __device__ void read_next(Codes& codes, int sub, bool is_last) const {
    if (sub + 1 < subtiles) {
      read(codes, ring.stage, sub + 1);
    } else if (!is_last) {
      Ring<stages> next = ring;
      next.advance(k_groups);
      mbarrier_wait(shared.full(next.stage), next.phase);
      read(codes, next.stage, 0);
    }
  }

  /// Adds the products of one chunk. `codes` has its first unit, and afterwards that of the next chunk.
  __device__ void multiply_chunk(float (&totals)[subtiles][held], Codes& codes, bool is_last) const {
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub) {
      Fragments f;
      const float2 factors = factors_of(codes);
#pragma unroll
      for (int part = 0; part < token_parts; ++part) {
        float sums[part_held];
        if (part == 0) {
          expand_and_start(sums, f, codes, sub);
          read_next(codes, sub, is_last);
        } else {
          start(sums, f, part);
        }
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
    Codes codes;
    read(codes, ring.stage, 0);
#pragma unroll 1
    for (int i = k_group; i < count; i += k_groups) {
      multiply_chunk(totals, codes, i + k_groups >= count);
      ring.advance(k_groups);
      left -= k_groups;
    }
  }
};
