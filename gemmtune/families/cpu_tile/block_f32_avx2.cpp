// AVX2: rows of floats with weights in scaled blocks, which are decoded to floats in registers.
#include "gemmtune/families/cpu_tile/block_avx2.h"

namespace gemmtune::cpu_tile {
namespace {

alignas(32) constexpr float e2m1_magnitudes[8] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};

/// Of eight elements, the one whose code is i nibbles up in a lane.
constexpr int element_of(int i) { return i / 2 + i % 2 * 4; }

/// The values of the codes that are i nibbles up.
template <BlockWeights W>
inline __m256 decode(__m256i codes, int i) {
  const __m256i top = _mm256_slli_epi32(codes, 28 - 4 * i);
  if constexpr (W == BlockWeights::q4_0) return _mm256_cvtepi32_ps(_mm256_srai_epi32(top, 28));
  const __m256 magnitudes = _mm256_permutevar8x32_ps(_mm256_load_ps(e2m1_magnitudes), _mm256_srli_epi32(codes, 4 * i));
  const __m256i sign = _mm256_and_si256(top, _mm256_set1_epi32(static_cast<std::int32_t>(0x80000000U)));
  return _mm256_or_ps(magnitudes, _mm256_castsi256_ps(sign));
}

struct DotFloats : Avx2Sums {
  static constexpr BlockRows form = BlockRows::f32;

  template <BlockWeights W, int Rows>
  static void add_eight(const BlockAt& at, int g, Float (&dots)[Rows]) {
    const __m256i codes = bytes_at(at.values + 64 * g);
    prefetch(at.values + 64 * g);
    GT_UNROLL_ALL for (int i = 0; i < 8; ++i) {
      const __m256 w = decode<W>(codes, i);
      const auto* rows = reinterpret_cast<const float*>(at.a) + g * 8 + element_of(i);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        dots[r] = _mm256_fmadd_ps(_mm256_broadcast_ss(rows + r * block_length), w, dots[r]);
      }
    }
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    prefetch(at.scales);
    GT_UNROLL_ALL for (int group = 0; group < groups; ++group) {
      Float dots[Rows];
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots[r] = zero();
      GT_UNROLL_ALL for (int step = 0; step < 4 / groups; ++step) add_eight<W>(at, group * 4 / groups + step, dots);
      const Float columns = block_scales<W>(at, group);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) sums[r] = _mm256_fmadd_ps(dots[r], columns, sums[r]);
    }
  }
};

ScaleExtent pack_row(const BlockRowJob& job) {
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) {
    auto* to = reinterpret_cast<float*>(job.panel + b * job.block_bytes) + job.inside * block_length;
    for (std::int64_t i = 0; i < block_length; i += 8) {
      _mm256_storeu_ps(to + i, floats_at(job, b * block_length + i));
    }
  }
  return {};
}

}  // namespace

const BlockKernels& block_f32_avx2() {
  static constexpr BlockKernels kernels = block_kernels<DotFloats>(&pack_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
