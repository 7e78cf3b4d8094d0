// AVX-512: rows of floats with weights in scaled blocks, which are decoded to floats in registers.
#include "gemmtune/families/cpu_tile/block_avx512.h"

namespace gemmtune::cpu_tile {
namespace {

alignas(64) constexpr float e2m1_floats[16] = {0,     0.5F,  1,     1.5F,  2,     3,     4,     6,
                                               -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};
alignas(64) constexpr float int4_floats[16] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};

/// Of eight elements, the one whose code is i nibbles up in a lane.
constexpr int element_of(int i) { return i / 2 + i % 2 * 4; }

struct DotFloats : Avx512Floats<DotFloats> {
  static constexpr BlockRows form = BlockRows::f32;
  static constexpr std::int64_t row_bytes = row_bytes_of(form);

  template <BlockWeights W, int Rows>
  static void add_eight(const BlockAt& at, int g, Float (&dots)[Rows]) {
    const __m512 table = _mm512_load_ps(W == BlockWeights::q4_0 ? int4_floats : e2m1_floats);
    const __m512i codes = bytes_at(at.values + 64 * g);
    prefetch(at.values + 64 * g);
    GT_UNROLL_ALL for (int i = 0; i < 8; ++i) {
      const __m512i indices = i == 0 ? codes : _mm512_srli_epi32(codes, static_cast<unsigned>(4 * i));
      const __m512 w = _mm512_permutexvar_ps(indices, table);
      const auto* rows = reinterpret_cast<const float*>(at.a) + g * 8 + element_of(i);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        dots[r] = _mm512_fmadd_ps(_mm512_set1_ps(rows[r * block_length]), w, dots[r]);
      }
    }
  }
};

ScaleExtent pack_row(const BlockRowJob& job) {
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) {
    auto* to = reinterpret_cast<float*>(job.panel + b * job.block_bytes + job.inside * DotFloats::row_bytes);
    for (std::int64_t i = 0; i < block_length; i += 16) {
      const std::int64_t k = b * block_length + i;
      _mm512_storeu_ps(to + i, floats_at(job.row, job.source, k, mask_at(k, job.k)));
    }
  }
  return {};
}

}  // namespace

const BlockKernels& block_f32_avx512() {
  static constexpr BlockKernels kernels = block_kernels<DotFloats>(&pack_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
