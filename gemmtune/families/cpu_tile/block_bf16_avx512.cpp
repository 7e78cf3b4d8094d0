// AVX-512 BF16: rows of bf16 with weights in scaled blocks. Weights are decoded to pairs of bf16 in registers: a
// shuffle looks up the low five bits of 16-bit words, and its table does not depend on the fifth. (Dot products of
// pairs treat denormals as zeros.)
#include "gemmtune/families/cpu_tile/block_avx512_rows.h"

namespace gemmtune::cpu_tile {
namespace {

inline __m512bh as_pairs(__m512i value) {
  __m512bh pairs;
  std::memcpy(&pairs, &value, sizeof pairs);
  return pairs;
}

struct DotPairs : Avx512Floats<DotPairs> {
  static constexpr BlockRows form = BlockRows::bf16_pairs;
  static constexpr std::int64_t row_bytes = row_bytes_of(form);

  /// The products of elements [8·g, 8·g + 8).
  template <BlockWeights W, int Rows>
  static void add_eight(const BlockAt& at, int g, Float (&dots)[Rows]) {
    const __m512i table = _mm512_load_si512(W == BlockWeights::q4_0 ? int4_words : e2m1_words);
    const __m512i codes = bytes_at(at.values + 64 * g);
    prefetch(at.values + 64 * g);
    GT_UNROLL_ALL for (int i = 0; i < 4; ++i) {
      const __m512i indices = i == 0 ? codes : _mm512_srli_epi16(codes, static_cast<unsigned>(4 * i));
      const __m512bh w = as_pairs(_mm512_permutexvar_epi16(indices, table));
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        const __m512bh a = as_pairs(broadcast_at(at.a + r * row_bytes + g * 16 + i * 4));
        dots[r] = _mm512_dpbf16_ps(dots[r], a, w);
      }
    }
  }
};

}  // namespace

const BlockKernels& block_bf16_avx512() {
  static constexpr BlockKernels kernels = block_kernels<DotPairs>(&copy_pairs);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
