// NEON: rows of int8 with weights in scaled blocks. A Multiplier has
//   add_eight<Rows>(const std::byte* a, const EightOfFour& w, Dots<Rows>&)   8 elements of K for 4 columns
//   row<Rows>(const Dots<Rows>&, int r)                                      the sums of one row
// Only for block_int8_neondot.cpp and block_int8_neoni8mm.cpp.
#pragma once

#if defined(__aarch64__)

#include "gemmtune/families/cpu_tile/block_neon.h"

namespace gemmtune::cpu_tile {
namespace {

template <typename Multiplier>
struct DotNeon : NeonSums {
  static constexpr BlockRows form = BlockRows::int8;

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    const float* rows = scales_of(at);
    prefetch(at.scales);
    for (int group = 0; group < groups; ++group) {
      GT_UNROLL_ALL for (int half = 0; half < 2; ++half) {
        int32x4_t dots[Rows] = {};
        GT_UNROLL_ALL for (int step = 0; step < 4 / groups; ++step) {
          const int g = group * 4 / groups + step;
          prefetch(at.values + (has_nibbles(W) ? 64 : 128) * g);
          Multiplier::template add_eight<Rows>(at.a + 8 * g, decode<W>(at, g, 4 * half), dots);
        }
        const float32x4_t columns = unit_scales<W>(at, group, 4 * half);
        GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
          const float32x4_t sum = vcvtq_f32_s32(Multiplier::template row<Rows>(dots, r));
          sums[r].of[half] = vfmaq_f32(sums[r].of[half], sum, vmulq_n_f32(columns, rows[r]));
        }
      }
    }
  }
};

/// Weights are multiplied as signed bytes, so that portable rows, which have no corrections, will do.
template <typename Multiplier>
const BlockKernels& neon_kernels() {
  static const BlockKernels kernels = block_kernels<DotNeon<Multiplier>>(block_int8_portable().pack_row);
  return kernels;
}

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
