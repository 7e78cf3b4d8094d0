// AVX-512: converts sums to outputs, and packed MXFP4 weights to int8.
#include <immintrin.h>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::avx512 {
namespace {

alignas(16) constexpr signed char doubled_e2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Rounds integers of more than 24 bits to odd, so that only the later rounding to 16 bits affects the result.
inline __m512 to_float_odd(__m512i value) {
  const __m512 cut = _mm512_cvt_roundepi32_ps(value, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m512i bits = _mm512_castps_si512(cut);
  const __mmask16 inexact = _mm512_cmpneq_epi32_mask(value, _mm512_cvttps_epi32(cut));
  return _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, inexact, bits, _mm512_set1_epi32(1)));
}

inline __m256i to_bf16(__m512 value) {
  const __m512i bits = _mm512_castps_si512(value);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  __m512i result = _mm512_srli_epi32(_mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
  const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
  result = _mm512_mask_mov_epi32(result, nan, _mm512_set1_epi32(0x7fc0));
  return _mm512_cvtepi32_epi16(result);
}

inline __m512 load_values(const std::byte* from, DType type, __mmask16 mask) {
  if (type == DType::f32) return _mm512_maskz_loadu_ps(mask, from);
  const __m256i half = _mm256_maskz_loadu_epi16(mask, from);
  if (type == DType::f16) return _mm512_cvtph_ps(half);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

inline void store_values(__m512 value, std::byte* to, DType type, __mmask16 mask) {
  if (type == DType::f32) return _mm512_mask_storeu_ps(to, mask, value);
  const __m256i half = type == DType::bf16 ? to_bf16(value) : _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT);
  _mm256_mask_storeu_epi16(to, mask, half);
}

/// Finishes the columns [c, c + 16) of row r that are in the mask.
inline void finish_sixteen(const FinishJob& job, std::int64_t r, std::int64_t c, __mmask16 mask) {
  const std::int64_t size = job.type == DType::f32 ? 4 : 2;
  __m512i sum = _mm512_maskz_loadu_epi32(mask, job.acc + r * job.acc_stride + c);
  if (job.correction != nullptr) sum = _mm512_sub_epi32(sum, _mm512_maskz_loadu_epi32(mask, job.correction + c));
  __m512 value = job.type == DType::f32 ? _mm512_cvtepi32_ps(sum) : to_float_odd(sum);
  value = _mm512_mul_ps(value, _mm512_set1_ps(job.row_scale[r]));
  value = _mm512_mul_ps(value, _mm512_maskz_loadu_ps(mask, job.col_scale + c));
  if (job.bias != nullptr) value = _mm512_add_ps(value, load_values(job.bias + c * size, job.type, mask));
  store_values(value, job.out + (r * job.out_stride + c) * size, job.type, mask);
}

/// Masks of the bytes in 16 columns × 4 that must be doubled once, and of those that must be doubled twice.
struct ShiftMasks {
  __mmask64 once;
  __mmask64 twice;
};

inline ShiftMasks shift_masks(__m128i shifts) {
  const __m512i bytes = _mm512_mullo_epi32(_mm512_cvtepu8_epi32(shifts), _mm512_set1_epi32(0x01010101));
  return {_mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1)), _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(2))};
}

inline __m512i decode(__m512i nibbles, const ShiftMasks& masks) {
  const __m128i codes = _mm_load_si128(reinterpret_cast<const __m128i*>(doubled_e2m1));
  __m512i value = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(codes), nibbles);
  value = _mm512_mask_add_epi8(value, masks.once, value, value);
  value = _mm512_mask_add_epi8(value, masks.twice, value, value);
  return _mm512_mask_add_epi8(value, masks.twice, value, value);
}

/// Expands four groups of 8 along K, which are one scale block.
inline void expand_block(const std::uint8_t* nibbles, const ShiftMasks& masks, std::byte* out) {
  const __m512i nibble = _mm512_set1_epi8(15);
  for (int g = 0; g < 4; ++g) {
    const __m512i both = _mm512_loadu_si512(nibbles + g * 64);
    _mm512_storeu_si512(out + g * 128, decode(_mm512_and_si512(both, nibble), masks));
    _mm512_storeu_si512(out + g * 128 + 64, decode(_mm512_and_si512(_mm512_srli_epi16(both, 4), nibble), masks));
  }
}

}  // namespace

void finish(const FinishJob& job) {
  for (std::int64_t r = 0; r < job.rows; ++r) {
    std::int64_t c = 0;
    for (; c + 16 <= job.cols; c += 16) finish_sixteen(job, r, c, 0xffff);
    if (c < job.cols) finish_sixteen(job, r, c, static_cast<__mmask16>((1U << (job.cols - c)) - 1));
  }
}

void expand_panel(const ExpandPanelJob& job) {
  const __m128i base = _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.shift_base));
  for (std::int64_t b = 0; b < job.k_steps * 2; ++b) {
    const __m128i scales = _mm_loadu_si128(reinterpret_cast<const __m128i*>(job.scales + b * 16));
    const __m128i shifts = _mm_min_epu8(_mm_subs_epu8(scales, base), _mm_set1_epi8(3));
    expand_block(job.nibbles + b * 256, shift_masks(shifts), job.out + b * 512);
  }
}

}  // namespace gemmtune::cpu_tile::avx512
