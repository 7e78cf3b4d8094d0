// AVX2: converts sums to outputs, and MXFP4 codes to int8. The kernels of wider instruction sets use it too.
#include <immintrin.h>

#include <cstring>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::avx2 {
namespace {

alignas(16) constexpr signed char doubled_e2m1[4][16] = {
    {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12},
    {0, 2, 4, 6, 8, 12, 16, 24, 0, -2, -4, -6, -8, -12, -16, -24},
    {0, 4, 8, 12, 16, 24, 32, 48, 0, -4, -8, -12, -16, -24, -32, -48},
    {0, 8, 16, 24, 32, 48, 64, 96, 0, -8, -16, -24, -32, -48, -64, -96},
};

/// Rounds integers of more than 24 bits to odd, so that only the later rounding to 16 bits affects the result.
inline __m256 to_float_odd(__m256i value) {
  const __m256 nearest = _mm256_cvtepi32_ps(value);
  const __m256i bits = _mm256_castps_si256(nearest);
  const __m256i rest = _mm256_sub_epi32(value, _mm256_cvttps_epi32(nearest));
  const __m256i step = _mm256_or_si256(_mm256_srai_epi32(_mm256_xor_si256(rest, value), 31), _mm256_set1_epi32(1));
  const __m256i zero = _mm256_setzero_si256();
  const __m256i even = _mm256_cmpeq_epi32(_mm256_and_si256(bits, _mm256_set1_epi32(1)), zero);
  const __m256i moves = _mm256_andnot_si256(_mm256_cmpeq_epi32(rest, zero), even);
  return _mm256_castsi256_ps(_mm256_add_epi32(bits, _mm256_and_si256(step, moves)));
}

inline __m128i to_bf16(__m256 value) {
  const __m256i bits = _mm256_castps_si256(value);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded =
      _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))), 16);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  const __m256i result = _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc0), nan);
  return _mm_packus_epi32(_mm256_castsi256_si128(result), _mm256_extracti128_si256(result, 1));
}

inline __m128i to_16_bits(__m256 value, DType type) {
  return type == DType::bf16 ? to_bf16(value) : _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT);
}

/// Loads eight values of a type, `count` of which exist.
inline __m256 load_values(const std::byte* from, DType type, std::int64_t count) {
  alignas(32) std::byte whole[32] = {};
  std::memcpy(whole, from, static_cast<std::size_t>(count) * (type == DType::f32 ? 4 : 2));
  if (type == DType::f32) return _mm256_load_ps(reinterpret_cast<const float*>(whole));
  const __m128i half = _mm_load_si128(reinterpret_cast<const __m128i*>(whole));
  if (type == DType::f16) return _mm256_cvtph_ps(half);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

inline void store_values(__m256 value, std::byte* to, DType type, std::int64_t count) {
  alignas(32) std::byte whole[32];
  if (type == DType::f32) {
    _mm256_store_ps(reinterpret_cast<float*>(whole), value);
  } else {
    _mm_store_si128(reinterpret_cast<__m128i*>(whole), to_16_bits(value, type));
  }
  std::memcpy(to, whole, static_cast<std::size_t>(count) * (type == DType::f32 ? 4 : 2));
}

/// Finishes columns [c, c + count) of row r.
inline void finish_eight(const FinishJob& job, std::int64_t r, std::int64_t c, std::int64_t count) {
  const std::int64_t size = job.type == DType::f32 ? 4 : 2;
  __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(job.acc + r * job.acc_stride + c));
  if (job.correction != nullptr) {
    sum = _mm256_sub_epi32(sum, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(job.correction + c)));
  }
  __m256 value = job.type == DType::f32 ? _mm256_cvtepi32_ps(sum) : to_float_odd(sum);
  value = _mm256_mul_ps(value, _mm256_set1_ps(job.row_scale[r]));
  value = _mm256_mul_ps(value, _mm256_loadu_ps(job.col_scale + c));
  if (job.bias != nullptr) value = _mm256_add_ps(value, load_values(job.bias + c * size, job.type, count));
  store_values(value, job.out + (r * job.out_stride + c) * size, job.type, count);
}

inline __m128i load16(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

inline void store_sixteen(__m128i values, RowForm form, std::byte* out) {
  if (form == RowForm::s16) {
    return _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_cvtepi8_epi16(values));
  }
  if (form == RowForm::u8_plus_128) values = _mm_xor_si128(values, _mm_set1_epi8(static_cast<char>(0x80)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), values);
}

inline int shift_of(int scale, int base) {
  const int shift = scale - base;
  return shift < 0 ? 0 : shift > 3 ? 3 : shift;
}

/// Expands 16 bytes of codes to 32 values.
inline void expand_block(__m128i codes, int shift, RowForm form, std::byte* out) {
  const __m128i table = _mm_load_si128(reinterpret_cast<const __m128i*>(doubled_e2m1[shift]));
  const __m128i nibble = _mm_set1_epi8(15);
  const __m128i even = _mm_shuffle_epi8(table, _mm_and_si128(codes, nibble));
  const __m128i odd = _mm_shuffle_epi8(table, _mm_and_si128(_mm_srli_epi16(codes, 4), nibble));
  store_sixteen(_mm_unpacklo_epi8(even, odd), form, out);
  store_sixteen(_mm_unpackhi_epi8(even, odd), form, out + (form == RowForm::s16 ? 32 : 16));
}

/// The codes of block b of a row. Those beyond the row's end are zero.
inline __m128i load_codes(const ExpandRowJob& job, std::int64_t b) {
  const std::int64_t left = job.k / 2 - b * 16;
  if (left >= 16) return load16(job.codes + b * 16);
  alignas(16) std::uint8_t rest[16] = {};
  if (left > 0) std::memcpy(rest, job.codes + b * 16, static_cast<std::size_t>(left));
  return _mm_load_si128(reinterpret_cast<const __m128i*>(rest));
}

/// Masks of the bytes in eight columns × 4 that must be doubled once, and of those that must be doubled twice.
struct ShiftMasks {
  __m256i once;
  __m256i twice;
};

inline ShiftMasks shift_masks(__m128i shifts, int half) {
  const __m256i spread =
      _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
  const __m128i eight = half == 0 ? shifts : _mm_srli_si128(shifts, 8);
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(eight), spread);
  const __m256i one = _mm256_set1_epi8(1), two = _mm256_set1_epi8(2);
  return {_mm256_cmpeq_epi8(_mm256_and_si256(bytes, one), one), _mm256_cmpeq_epi8(_mm256_and_si256(bytes, two), two)};
}

inline __m256i decode(__m256i nibbles, const ShiftMasks& masks) {
  const __m256i table = _mm256_broadcastsi128_si256(load16(doubled_e2m1[0]));
  __m256i value = _mm256_shuffle_epi8(table, nibbles);
  value = _mm256_add_epi8(value, _mm256_and_si256(value, masks.once));
  value = _mm256_add_epi8(value, _mm256_and_si256(value, masks.twice));
  return _mm256_add_epi8(value, _mm256_and_si256(value, masks.twice));
}

/// Expands four groups of 8 along K for eight columns, which are one scale block.
inline void expand_half_block(const std::uint8_t* nibbles, const ShiftMasks& masks, std::byte* out) {
  const __m256i nibble = _mm256_set1_epi8(15);
  for (int g = 0; g < 4; ++g) {
    const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(nibbles + g * 64));
    const __m256i low = decode(_mm256_and_si256(both, nibble), masks);
    const __m256i high = decode(_mm256_and_si256(_mm256_srli_epi16(both, 4), nibble), masks);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + g * 128), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + g * 128 + 64), high);
  }
}

}  // namespace

void finish(const FinishJob& job) {
  for (std::int64_t r = 0; r < job.rows; ++r) {
    std::int64_t c = 0;
    for (; c + 8 <= job.cols; c += 8) finish_eight(job, r, c, 8);
    if (c < job.cols) finish_eight(job, r, c, job.cols - c);
  }
}

void expand_row(const ExpandRowJob& job) {
  const std::int64_t block_bytes = scale_block * (job.form == RowForm::s16 ? 2 : 1);
  const std::int64_t blocks = (job.k + scale_block - 1) / scale_block;
  for (std::int64_t b = 0; b < (blocks + 1) / 2 * 2; ++b) {
    const int shift = b < blocks ? shift_of(job.scales[b], job.shift_base) : 0;
    expand_block(load_codes(job, b), shift, job.form, job.out + b / 2 * job.out_stride + b % 2 * block_bytes);
  }
}

void expand_panel(const ExpandPanelJob& job) {
  const __m128i base = load16(job.shift_base);
  for (std::int64_t b = 0; b < job.k_steps * 2; ++b) {
    const __m128i shifts = _mm_min_epu8(_mm_subs_epu8(load16(job.scales + b * 16), base), _mm_set1_epi8(3));
    for (int half = 0; half < 2; ++half) {
      expand_half_block(job.nibbles + b * 256 + half * 32, shift_masks(shifts, half), job.out + b * 512 + half * 32);
    }
  }
}

}  // namespace gemmtune::cpu_tile::avx2
