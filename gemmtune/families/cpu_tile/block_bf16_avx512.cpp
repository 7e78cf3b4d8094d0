// AVX-512 BF16: rows of bf16 with weights in scaled blocks. Weights are decoded to pairs of bf16 in registers: a shuffle
// looks up the low five bits of 16-bit words, and its table does not depend on the fifth. (Dot products of pairs treat
// denormals as zeros.)
#include "gemmtune/families/cpu_tile/block_avx512.h"

namespace gemmtune::cpu_tile {
namespace {

/// The values of the codes as bf16, twice.
alignas(64) constexpr std::uint16_t e2m1_words[32] = {
    0x0000, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4040, 0x4080, 0x40c0, 0x8000, 0xbf00, 0xbf80,
    0xbfc0, 0xc000, 0xc040, 0xc080, 0xc0c0, 0x0000, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4040,
    0x4080, 0x40c0, 0x8000, 0xbf00, 0xbf80, 0xbfc0, 0xc000, 0xc040, 0xc080, 0xc0c0};
alignas(64) constexpr std::uint16_t int4_words[32] = {
    0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0, 0xc100, 0xc0e0, 0xc0c0,
    0xc0a0, 0xc080, 0xc040, 0xc000, 0xbf80, 0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0,
    0x40c0, 0x40e0, 0xc100, 0xc0e0, 0xc0c0, 0xc0a0, 0xc080, 0xc040, 0xc000, 0xbf80};

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

/// Copies the row, with the order of pairs that decoded weights have.
ScaleExtent pack_row(const BlockRowJob& job) {
  const __m512i order = _mm512_set_epi16(31, 29, 27, 25, 30, 28, 26, 24, 23, 21, 19, 17, 22, 20, 18, 16,  //
                                         15, 13, 11, 9, 14, 12, 10, 8, 7, 5, 3, 1, 6, 4, 2, 0);
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) {
    const std::int64_t k = b * block_length, left = job.k - k;
    const __mmask32 mask = left >= 32 ? 0xffffffffU : (1U << left) - 1;
    const __m512i values = _mm512_maskz_loadu_epi16(mask, job.row + 2 * k);
    std::byte* to = job.panel + b * job.block_bytes + job.inside * DotPairs::row_bytes;
    _mm512_storeu_si512(to, _mm512_permutexvar_epi16(order, values));
  }
  return {};
}

}  // namespace

const BlockKernels& block_bf16_avx512() {
  static constexpr BlockKernels kernels = block_kernels<DotPairs>(&pack_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
