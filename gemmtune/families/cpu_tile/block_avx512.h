// AVX-512: what the kernels for weights in scaled blocks have in common. Only for block_<form>_avx512….cpp.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include <cstring>

#include "gemmtune/families/cpu_tile/block_templates.h"

namespace gemmtune::cpu_tile {
namespace {

inline __m512i bytes_at(const std::byte* from) { return _mm512_loadu_si512(from); }

/// Four bytes in all lanes.
inline __m512i broadcast_at(const std::byte* from) {
  std::int32_t word;
  std::memcpy(&word, from, 4);
  return _mm512_set1_epi32(word);
}

/// E8M0: 255 is NaN, and 0 is the only subnormal number.
inline __m512 e8m0_scales(const std::byte* from) {
  const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  const __m512i next = _mm512_add_epi32(bytes, _mm512_set1_epi32(1));
  const __mmask16 special = _mm512_testn_epi32_mask(next, _mm512_set1_epi32(0xfe));  // 0 and 255
  const __m512i bits = _mm512_slli_epi32(bytes, 23);
  return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, special, bits, _mm512_set1_epi32(0x00400000)));
}

/// E4M3, without a sign: its bits are those of a float that is 2^120 times smaller.
inline __m512 e4m3_scales(const std::byte* from) {
  const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  const __m512i magnitudes = _mm512_and_epi32(bytes, _mm512_set1_epi32(0x7f));
  const __mmask16 nan = _mm512_cmpeq_epi32_mask(magnitudes, _mm512_set1_epi32(0x7f));
  const __m512 value = _mm512_mul_ps(_mm512_castsi512_ps(_mm512_slli_epi32(magnitudes, 20)), _mm512_set1_ps(0x1p120F));
  const __m512i sign = _mm512_slli_epi32(_mm512_sub_epi32(bytes, magnitudes), 24);
  const __m512i bits = _mm512_or_epi32(_mm512_castps_si512(value), sign);
  return _mm512_castsi512_ps(_mm512_mask_mov_epi32(bits, nan, _mm512_set1_epi32(0x7fc00000)));
}

inline __m512 f16_scales(const std::byte* from) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

/// The scales of all 16 columns for one group of a block.
template <BlockWeights W>
inline __m512 block_scales(const std::byte* from, int group) {
  if constexpr (W == BlockWeights::mxfp4) return e8m0_scales(from);
  if constexpr (W == BlockWeights::nvfp4) return e4m3_scales(from + 16 * group);
  return f16_scales(from);
}

struct Avx512Sums {
  using Float = __m512;
  static constexpr int width = 16;
  static constexpr std::int64_t tallest = 12;

  static Float zero() { return _mm512_setzero_ps(); }
  static Float load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Float value) { _mm512_storeu_ps(to, value); }
};

/// Products in float, which are scaled by the columns' scales alone. Dot::add_eight adds those of 8 elements of K.
template <typename Dot>
struct Avx512Floats : Avx512Sums {
  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    prefetch(at.scales);
    GT_UNROLL_ALL for (int group = 0; group < groups; ++group) {
      Float dots[Rows];
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) dots[r] = zero();
      GT_UNROLL_ALL for (int step = 0; step < 4 / groups; ++step) {
        Dot::template add_eight<W>(at, group * 4 / groups + step, dots);
      }
      const Float columns = block_scales<W>(at.scales, group);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) sums[r] = _mm512_fmadd_ps(dots[r], columns, sums[r]);
    }
  }
};

/// 16 elements of a row; those that the mask leaves out are zeros.
inline __m512 floats_at(const std::byte* row, Source source, std::int64_t k, __mmask16 mask) {
  if (source == Source::f32) return _mm512_maskz_loadu_ps(mask, row + 4 * k);
  const __m256i half = _mm256_maskz_loadu_epi16(mask, row + 2 * k);
  if (source == Source::f16) return _mm512_cvtph_ps(half);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

inline __mmask16 mask_at(std::int64_t k, std::int64_t end) {
  const std::int64_t left = end - k;
  return static_cast<__mmask16>(left >= 16 ? 0xffffU : left <= 0 ? 0U : (1U << left) - 1U);
}

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
