// NEON: rows of floats with weights in scaled blocks, which are decoded to floats in registers.
#include "gemmtune/families/cpu_tile/block_neon.h"

namespace gemmtune::cpu_tile {
namespace {

/// Byte `Byte` of each lane as a float.
template <int Byte>
inline float32x4_t float_of_byte(int8x16_t bytes) {
  const int32x4_t words = vreinterpretq_s32_s8(bytes);
  if constexpr (Byte == 3) return vcvtq_f32_s32(vshrq_n_s32(words, 24));
  return vcvtq_f32_s32(vshrq_n_s32(vshlq_n_s32(words, 24 - 8 * Byte), 24));
}

/// The sums of one group, for four columns and all rows.
template <int Rows>
struct Dots {
  float32x4_t of[Rows];
};

template <int Lane, int Rows>
inline void add_element(const float32x4_t (&rows)[Rows], int8x16_t columns, Dots<Rows>& dots) {
  const float32x4_t w = float_of_byte<Lane>(columns);
  GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots.of[r] = vfmaq_laneq_f32(dots.of[r], w, rows[r], Lane);
}

struct DotFloats : NeonSums {
  static constexpr BlockRows form = BlockRows::f32;

  /// Four elements of K.
  template <int Rows>
  static void add_four(const float* a, int8x16_t columns, Dots<Rows>& dots) {
    float32x4_t rows[Rows];
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) rows[r] = vld1q_f32(a + r * block_length);
    add_element<0>(rows, columns, dots);
    add_element<1>(rows, columns, dots);
    add_element<2>(rows, columns, dots);
    add_element<3>(rows, columns, dots);
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    const auto* a = reinterpret_cast<const float*>(at.a);
    prefetch(at.values);
    prefetch(at.values + value_bytes(W) / 2);
    GT_UNROLL_ALL for (int v = 0; v < 2; ++v) {
      GT_UNROLL_ALL for (int group = 0; group < groups; ++group) {
        Dots<Rows> dots;
        GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots.of[r] = vdupq_n_f32(0);
        for (int g = group * 4 / groups; g < (group + 1) * 4 / groups; ++g) {
          const Decoded w = decode<W>(at.values + 64 * g + 16 * v);
          add_four(a + 8 * g, w.first, dots);
          add_four(a + 8 * g + 4, w.last, dots);
        }
        const float32x4_t columns = unit_scales<W>(at.scales, group, at.column + 4 * v);
        GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) { sums[r].of[v] = vfmaq_f32(sums[r].of[v], dots.of[r], columns); }
      }
    }
  }
};

ScaleExtent pack_row(const BlockRowJob& job) { return block_f32_portable().pack_row(job); }

}  // namespace

const BlockKernels& block_f32_neon() {
  static constexpr BlockKernels kernels = block_kernels<DotFloats>(&pack_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
