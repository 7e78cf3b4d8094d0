// NEON: rows of floats with weights in scaled blocks, which are decoded to bytes and then to floats.
#include "gemmtune/families/cpu_tile/block_neon.h"

namespace gemmtune::cpu_tile {
namespace {

/// Element j of each of four columns.
inline float32x4_t floats_of(int8x16_t bytes, int j) {
  const int32x4_t words = vreinterpretq_s32_s8(bytes);
  return vcvtq_f32_s32(vshrq_n_s32(vshlq_s32(words, vdupq_n_s32(24 - 8 * j)), 24));
}

struct DotFloats : NeonSums {
  static constexpr BlockRows form = BlockRows::f32;

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    const auto* rows = reinterpret_cast<const float*>(at.a);
    prefetch(at.scales);
    for (int group = 0; group < groups; ++group) {
      GT_UNROLL_ALL for (int half = 0; half < 2; ++half) {
        float32x4_t dots[Rows];
        GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots[r] = vdupq_n_f32(0);
        for (int step = 0; step < 4 / groups; ++step) {
          const int g = group * 4 / groups + step;
          const EightOfFour w = decode<W>(at, g, 4 * half);
          prefetch(at.values + 64 * g);
          GT_UNROLL_ALL for (int j = 0; j < 8; ++j) {
            const float32x4_t column = floats_of(w.of[j / 4], j % 4);
            GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
              dots[r] = vfmaq_n_f32(dots[r], column, rows[r * block_length + 8 * g + j]);
            }
          }
        }
        const float32x4_t columns = unit_scales<W>(at, group, 4 * half);
        GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
          sums[r].of[half] = vfmaq_f32(sums[r].of[half], dots[r], columns);
        }
      }
    }
  }
};

}  // namespace

const BlockKernels& block_f32_neon() {
  static const BlockKernels kernels = block_kernels<DotFloats>(block_f32_portable().pack_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
