// AVX2: vpmaddubsw multiplies unsigned weights with rows. Sums of its pairs stay within 16 bits: four pairs of at most
// 2 · 24 · 127 for weights of four bits, and one pair of at most 2 · 128 · 127 for magnitudes of bytes.
#include "gemmtune/families/cpu_tile/block_int8_avx2.h"

namespace gemmtune::cpu_tile {
namespace {

struct PairMultiplier {
  static constexpr bool signed_bytes = true;

  template <int Rows>
  static void add_small(const std::byte* a, const __m256i (&w)[4], __m256i (&dots)[Rows]) {
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      const std::byte* row = a + r * block_length;
      __m256i pairs = _mm256_maddubs_epi16(w[0], broadcast_at(row));
      GT_UNROLL_ALL for (int i = 1; i < 4; ++i) {
        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(w[i], broadcast_at(row + 4 * i)));
      }
      dots[r] = _mm256_add_epi32(dots[r], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
  }

  /// Moves the signs of the weights to the rows.
  template <int Rows>
  static void add_bytes(const std::byte* a, __m256i w, __m256i (&dots)[Rows]) {
    const __m256i magnitudes = _mm256_abs_epi8(w);
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      const __m256i row = _mm256_sign_epi8(broadcast_at(a + r * block_length), w);
      const __m256i pairs = _mm256_maddubs_epi16(magnitudes, row);
      dots[r] = _mm256_add_epi32(dots[r], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
  }
};

}  // namespace

const BlockKernels& block_int8_avx2() {
  static constexpr BlockKernels kernels = block_kernels<DotBytes<PairMultiplier>>(&pack_bytes_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
