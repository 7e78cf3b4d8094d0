// The warpgroups of w4_multiply.cu that multiply where A is in bf16. A warpgroup expands 64 rows × 64 of K while the
// tensor core multiplies those before, and reads the codes of those after.
#pragma once

#include "gemmtune/kernels/w4/w4_consumer.cuh"
#include "gemmtune/kernels/wgmma_descriptor.cuh"
#include "gemmtune/kernels/wgmma_from_registers.cuh"

/// What a thread reads of 64 rows × 64 of K: codes, and the scales of its two rows' blocks.
struct Codes {
  uint4 words;
  uint2 scales;
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

/// A unit of a warpgroup's work is one of its groups of 64 rows × 64 of K.
struct Multiplier : Consumer {
  static constexpr int units = 2 * subtiles;  // of a chunk

  __device__ Codes read(int stage, int unit) const {
    const u32 from = brick(stage, unit % subtiles);
    const int thread = threadIdx.x % 128;
    const u32 scales = from + gemmtune::w4_codes_bytes + (scale_k == 16 ? unit / subtiles * 256 : 0) + thread / 4 * 8;
    return {ld_shared_v4(from + unit / subtiles * 2048 + thread * 16), ld_shared_v2(scales)};
  }

  __device__ void start(float (&sums)[held], Fragments& f, int half) const {
    const u32 a = activations(ring.stage) + half * (panel_bytes / 16);
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
    for (int sub = 0; sub < subtiles; ++sub) pin(totals[sub]);
  }
};
