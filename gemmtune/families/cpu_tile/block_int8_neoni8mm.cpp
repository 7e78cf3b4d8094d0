// NEON with matrix products (SMMLA, i8mm): eight elements of K of two rows with those of two columns. A row without a
// partner is multiplied by dot products.
#include "gemmtune/families/cpu_tile/block_int8_neon.h"

namespace gemmtune::cpu_tile {
namespace {

struct MatrixMultiplier {
  /// The sums of rows r and r + 1: dots[r] has those of columns 0 and 1 (row by row), dots[r + 1] of columns 2 and 3.
  template <int Rows>
  static void add_eight(const std::byte* a, const EightOfFour& w, int32x4_t (&dots)[Rows]) {
    const int32x4_t low = vreinterpretq_s32_s8(w.of[0]), high = vreinterpretq_s32_s8(w.of[1]);
    const int8x16_t first = vreinterpretq_s8_s32(vzip1q_s32(low, high));
    const int8x16_t second = vreinterpretq_s8_s32(vzip2q_s32(low, high));
    GT_UNROLL_ALL for (int r = 0; r + 1 < Rows; r += 2) {
      const int8x8_t row = vld1_s8(signed_at(a + r * block_length));
      const int8x16_t both = vcombine_s8(row, vld1_s8(signed_at(a + (r + 1) * block_length)));
      dots[r] = vmmlaq_s32(dots[r], both, first);
      dots[r + 1] = vmmlaq_s32(dots[r + 1], both, second);
    }
    if constexpr (Rows % 2 == 1) {
      const int8x8_t row = vld1_s8(signed_at(a + (Rows - 1) * block_length));
      dots[Rows - 1] = vdotq_lane_s32(vdotq_lane_s32(dots[Rows - 1], w.of[0], row, 0), w.of[1], row, 1);
    }
  }

  template <int Rows>
  static int32x4_t row(const int32x4_t (&dots)[Rows], int r) {
    if (r == Rows - 1 && Rows % 2 == 1) return dots[r];
    const int pair = r / 2 * 2;
    return r % 2 == 0 ? vcombine_s32(vget_low_s32(dots[pair]), vget_low_s32(dots[pair + 1]))
                      : vcombine_s32(vget_high_s32(dots[pair]), vget_high_s32(dots[pair + 1]));
  }
};

}  // namespace

const BlockKernels& block_int8_neoni8mm() { return neon_kernels<MatrixMultiplier>(); }

}  // namespace gemmtune::cpu_tile
