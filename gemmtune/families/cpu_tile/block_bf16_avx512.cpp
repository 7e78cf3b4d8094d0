// AVX-512 BF16: rows of bf16 with weights in scaled blocks. Weights are decoded to pairs of bf16 in registers: a
// shuffle looks up the low five bits of 16-bit words, and its table does not depend on the fifth. (Dot products of
// pairs treat denormals as zeros.)
#include "gemmtune/families/cpu_tile/block_avx512_decoded.h"
#include "gemmtune/families/cpu_tile/block_avx512_rows.h"

namespace gemmtune::cpu_tile {
namespace {

inline __m512bh as_pairs(__m512i value) {
  __m512bh pairs;
  std::memcpy(&pairs, &value, sizeof pairs);
  return pairs;
}

/// Pairs of elements [8·g, 8·g + 8) for all columns, in the order of BlockRows::bf16_pairs: i is from 0 to 3.
template <BlockWeights W>
inline __m512i decode_pairs(__m512i codes, int i) {
  const __m512i table = _mm512_load_si512(W == BlockWeights::q4_0 ? int4_words : e2m1_words);
  const __m512i indices = i == 0 ? codes : _mm512_srli_epi16(codes, static_cast<unsigned>(4 * i));
  return _mm512_permutexvar_epi16(indices, table);
}

struct DotPairs : Avx512Floats<DotPairs> {
  using Sum = Float;
  static constexpr BlockRows form = BlockRows::bf16_pairs;
  static constexpr int words = 16;

  static Sum start(const BlockAt& /*at*/, int /*group*/, int /*row*/) { return zero(); }
  static Sum multiply(Sum sum, __m512i w, __m512i a) { return _mm512_dpbf16_ps(sum, as_pairs(a), as_pairs(w)); }

  template <BlockWeights W>
  static void decode(const std::byte* values, std::byte* out) {
    GT_UNROLL_ALL for (int word = 0; word < words; ++word) {
      const __m512i codes = bytes_at(values + word / 4 * 64);
      _mm512_storeu_si512(out + 64 * word, decode_pairs<W>(codes, word % 4));
    }
  }

  template <BlockWeights W, BlockScaling S>
  static Float column_scales(const std::byte* from, int group) {
    return block_scales<W>(from, group);
  }

  template <BlockScaling S>
  static Float scaled(Float sum, Sum dots, Float columns, const BlockAt& /*at*/, int /*row*/) {
    return _mm512_fmadd_ps(dots, columns, sum);
  }

  /// The products of elements [8·g, 8·g + 8).
  template <BlockWeights W, int Rows>
  static void add_eight(const BlockAt& at, int g, Float (&dots)[Rows]) {
    const __m512i codes = bytes_at(at.values + 64 * g);
    prefetch(at.values + 64 * g);
    GT_UNROLL_ALL for (int i = 0; i < 4; ++i) {
      const __m512i w = decode_pairs<W>(codes, i);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        dots[r] = multiply(dots[r], w, broadcast_at(at.a + 4 * (r * words + 4 * g + i)));
      }
    }
  }
};

}  // namespace

const BlockKernels& block_bf16_avx512() {
  static constexpr DecodedKernels decoded = decoded_kernels<DotPairs>();
  static constexpr BlockKernels kernels = block_kernels<DotPairs>(&copy_pairs, &decoded);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
