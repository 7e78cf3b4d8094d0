// Arm's dot product (SDOT): int8 rows with weights in scaled blocks. It multiplies signed bytes, so that weights need
// no offset and rows no corrections.
#include "gemmtune/families/cpu_tile/block_neon.h"

namespace gemmtune::cpu_tile {
namespace {

/// The integer sums of one group, for four columns and all rows.
template <int Rows>
struct Dots {
  int32x4_t of[Rows];
};

template <int Lane, int Rows>
inline void add_four(const int8x16_t (&rows)[Rows], int8x16_t columns, Dots<Rows>& dots) {
  GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots.of[r] = vdotq_laneq_s32(dots.of[r], columns, rows[r], Lane);
}

struct DotBytes : NeonSums {
  static constexpr BlockRows form = BlockRows::int8;

  /// The products of elements [16·half, 16·half + 16) with four columns.
  template <BlockWeights W, int Rows>
  static void add_sixteen(const std::byte* a, const std::byte* values, int half, Dots<Rows>& dots) {
    int8x16_t rows[Rows];
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) rows[r] = bytes_at(a + r * block_length + 16 * half);
    if constexpr (has_nibbles(W)) {
      const Decoded low = decode<W>(values + 128 * half), high = decode<W>(values + 128 * half + 64);
      add_four<0>(rows, low.first, dots);
      add_four<1>(rows, low.last, dots);
      add_four<2>(rows, high.first, dots);
      add_four<3>(rows, high.last, dots);
    } else {
      const std::byte* from = values + 256 * half;
      add_four<0>(rows, bytes_at(from), dots);
      add_four<1>(rows, bytes_at(from + 64), dots);
      add_four<2>(rows, bytes_at(from + 128), dots);
      add_four<3>(rows, bytes_at(from + 192), dots);
    }
  }

  /// Adds the sums of vector v, scaled.
  template <BlockWeights W, BlockScaling S, int Rows>
  static void add_scaled(const BlockAt& at, int group, int v, const Dots<Rows>& dots, Float (&sums)[Rows]) {
    const float* rows = scales_of(at);
    const int column = at.column + 4 * v;
    if constexpr (S == BlockScaling::add_exponents) {
      const uint32x4_t powers = vshlq_n_u32(vsubq_u32(words_of_bytes(at.scales + column), vdupq_n_u32(128)), 23);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        const uint32x4_t row = vreinterpretq_u32_f32(vld1q_dup_f32(rows + r));
        const float32x4_t scale = vreinterpretq_f32_u32(vaddq_u32(powers, row));
        sums[r].of[v] = vfmaq_f32(sums[r].of[v], vcvtq_f32_s32(dots.of[r]), scale);
      }
    } else {
      const float32x4_t columns = unit_scales<W>(at.scales, group, column);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        const float32x4_t scale = vmulq_n_f32(columns, rows[r]);
        sums[r].of[v] = vfmaq_f32(sums[r].of[v], vcvtq_f32_s32(dots.of[r]), scale);
      }
    }
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    prefetch(at.values);
    prefetch(at.values + value_bytes(W) / 2);
    GT_UNROLL_ALL for (int v = 0; v < 2; ++v) {
      GT_UNROLL_ALL for (int group = 0; group < groups; ++group) {
        Dots<Rows> dots;
        GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots.of[r] = vdupq_n_s32(0);
        GT_UNROLL_ALL for (int half = group; half < 2; half += groups) {
          add_sixteen<W>(at.a, at.values + 16 * v, half, dots);
        }
        add_scaled<W, S>(at, group, v, dots, sums);
      }
    }
  }
};

/// Quantising takes a small share of the time, and the compiler vectorises the plain loops.
ScaleExtent pack_row(const BlockRowJob& job) { return block_int8_portable().pack_row(job); }

}  // namespace

const BlockKernels& block_int8_dotprod() {
  static constexpr BlockKernels kernels = block_kernels<DotBytes>(&pack_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
