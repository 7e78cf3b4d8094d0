// NEON with dot products (SDOT, Armv8.2): four elements of K of one row with those of four columns.
#include "gemmtune/families/cpu_tile/block_int8_neon.h"

namespace gemmtune::cpu_tile {
namespace {

struct DotMultiplier {
  template <int Rows>
  static void add_eight(const std::byte* a, const EightOfFour& w, int32x4_t (&dots)[Rows]) {
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      const int8x8_t row = vld1_s8(signed_at(a + r * block_length));
      dots[r] = vdotq_lane_s32(vdotq_lane_s32(dots[r], w.of[0], row, 0), w.of[1], row, 1);
    }
  }

  template <int Rows>
  static int32x4_t row(const int32x4_t (&dots)[Rows], int r) {
    return dots[r];
  }
};

}  // namespace

const BlockKernels& block_int8_neondot() { return neon_kernels<DotMultiplier>(); }

}  // namespace gemmtune::cpu_tile
