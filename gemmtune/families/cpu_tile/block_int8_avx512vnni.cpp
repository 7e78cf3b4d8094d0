// AVX-512 VNNI: rows of int8 with weights in scaled blocks. Weights are decoded to unsigned bytes in registers, which
// costs little beside the dot products of several rows; rows are broadcast from memory.
#include "gemmtune/families/cpu_tile/block_avx512_rows.h"

namespace gemmtune::cpu_tile {
namespace {

/// Codes of four bits as unsigned bytes: 2·E2M1 + 12, and int4 + 8.
alignas(16) constexpr unsigned char e2m1_bytes[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
alignas(16) constexpr unsigned char int4_bytes[16] = {8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7};

template <BlockWeights W>
inline __m512i decode(__m512i nibbles) {
  const unsigned char* table = W == BlockWeights::q4_0 ? int4_bytes : e2m1_bytes;
  const __m512i all = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
  return _mm512_shuffle_epi8(all, _mm512_and_si512(nibbles, _mm512_set1_epi8(15)));
}

struct DotVnni : Avx512Sums {
  static constexpr BlockRows form = BlockRows::int8;

  template <int Rows>
  static void add_four(const BlockAt& at, std::int64_t k, __m512i w, __m512i (&dots)[Rows]) {
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      dots[r] = _mm512_dpbusd_epi32(dots[r], w, broadcast_at(at.a + r * block_length + k));
    }
  }

  /// The products of elements [8·g, 8·g + 8).
  template <BlockWeights W, int Rows>
  static void add_eight(const BlockAt& at, int g, __m512i (&dots)[Rows]) {
    if constexpr (has_nibbles(W)) {
      const __m512i codes = bytes_at(at.values + 64 * g);
      prefetch(at.values + 64 * g);
      add_four(at, 8 * g, decode<W>(codes), dots);
      add_four(at, 8 * g + 4, decode<W>(_mm512_srli_epi16(codes, 4)), dots);
    } else {
      const __m512i flip = _mm512_set1_epi8(-128);
      prefetch(at.values + 128 * g);
      prefetch(at.values + 128 * g + 64);
      add_four(at, 8 * g, _mm512_xor_si512(bytes_at(at.values + 128 * g), flip), dots);
      add_four(at, 8 * g + 4, _mm512_xor_si512(bytes_at(at.values + 128 * g + 64), flip), dots);
    }
  }

  /// The scales for decoded integers: those of E2M1 are doubled.
  template <BlockWeights W>
  static __m512 unit_scales(const std::byte* from, int group) {
    const __m512 scales = block_scales<W>(from, group);
    constexpr bool doubled = W == BlockWeights::mxfp4 || W == BlockWeights::nvfp4;
    return doubled ? _mm512_mul_ps(scales, _mm512_set1_ps(0.5F)) : scales;
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add_scaled(const BlockAt& at, int group, const __m512i (&dots)[Rows], Float (&sums)[Rows]) {
    const float* rows = scales_of(at);
    if constexpr (S == BlockScaling::add_exponents) {
      const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at.scales)));
      const __m512i powers = _mm512_slli_epi32(_mm512_sub_epi32(bytes, _mm512_set1_epi32(128)), 23);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        const __m512i row = broadcast_at(reinterpret_cast<const std::byte*>(rows + r));
        const __m512 scale = _mm512_castsi512_ps(_mm512_add_epi32(powers, row));
        sums[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[r]), scale, sums[r]);
      }
      return;
    }
    const __m512 columns = unit_scales<W>(at.scales, group);
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      const __m512 scale = _mm512_mul_ps(columns, _mm512_set1_ps(rows[r]));
      sums[r] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[r]), scale, sums[r]);
    }
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    prefetch(at.scales);
    GT_UNROLL_ALL for (int group = 0; group < groups; ++group) {
      __m512i dots[Rows];
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots[r] = _mm512_set1_epi32(corrections_of(at, group)[r]);
      GT_UNROLL_ALL for (int step = 0; step < 4 / groups; ++step) add_eight<W>(at, group * 4 / groups + step, dots);
      add_scaled<W, S>(at, group, dots, sums);
    }
  }
};

}  // namespace

const BlockKernels& block_int8_avx512vnni() {
  static constexpr BlockKernels kernels = block_kernels<DotVnni>(&quantise_row);
  return kernels;
}

}  // namespace gemmtune::cpu_tile
