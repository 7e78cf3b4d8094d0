// AVX2: what the kernels for weights in scaled blocks have in common. Only for block_<form>_avx2.cpp and
// block_int8_avxvnni.cpp.
#pragma once

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

#include <cstring>

#include "gemmtune/families/cpu_tile/block_templates.h"

namespace gemmtune::cpu_tile {
namespace {

inline __m256i bytes_at(const std::byte* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

/// Four bytes in all lanes.
inline __m256i broadcast_at(const std::byte* from) {
  std::int32_t word;
  std::memcpy(&word, from, 4);
  return _mm256_set1_epi32(word);
}

/// Eight bytes as 32-bit words.
inline __m256i words_of_bytes(const std::byte* from) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}

/// E8M0: 255 is NaN, and 0 is the only subnormal number.
inline __m256 e8m0_scales(const std::byte* from) {
  const __m256i bytes = words_of_bytes(from);
  const __m256i next = _mm256_and_si256(_mm256_add_epi32(bytes, _mm256_set1_epi32(1)), _mm256_set1_epi32(0xfe));
  const __m256i special = _mm256_cmpeq_epi32(next, _mm256_setzero_si256());  // 0 and 255
  const __m256i half_bit = _mm256_and_si256(special, _mm256_set1_epi32(0x00400000));
  return _mm256_castsi256_ps(_mm256_or_si256(_mm256_slli_epi32(bytes, 23), half_bit));
}

/// E4M3: its bits, without the sign, are those of a float that is 2^120 times smaller.
inline __m256 e4m3_scales(const std::byte* from) {
  const __m256i bytes = words_of_bytes(from);
  const __m256i magnitudes = _mm256_and_si256(bytes, _mm256_set1_epi32(0x7f));
  const __m256i nan = _mm256_cmpeq_epi32(magnitudes, _mm256_set1_epi32(0x7f));
  const __m256 value = _mm256_mul_ps(_mm256_castsi256_ps(_mm256_slli_epi32(magnitudes, 20)), _mm256_set1_ps(0x1p120F));
  const __m256i sign = _mm256_slli_epi32(_mm256_sub_epi32(bytes, magnitudes), 24);
  const __m256i bits = _mm256_or_si256(_mm256_castps_si256(value), sign);
  return _mm256_castsi256_ps(_mm256_or_si256(bits, _mm256_and_si256(nan, _mm256_set1_epi32(0x7fc00000))));
}

/// The scales of eight columns for one group of a block.
template <BlockWeights W>
inline __m256 block_scales(const BlockAt& at, int group) {
  if constexpr (W == BlockWeights::mxfp4) return e8m0_scales(at.scales + at.column);
  if constexpr (W == BlockWeights::nvfp4) return e4m3_scales(at.scales + 16 * group + at.column);
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at.scales + 2 * at.column)));
}

struct Avx2Sums {
  using Float = __m256;
  static constexpr int width = 8;
  static constexpr std::int64_t tallest = 4;

  static Float zero() { return _mm256_setzero_ps(); }
  static Float load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Float value) { _mm256_storeu_ps(to, value); }
};

/// Eight elements of a row, all of which exist.
inline __m256 whole_floats_at(const std::byte* from, Source source) {
  if (source == Source::f32) return _mm256_loadu_ps(reinterpret_cast<const float*>(from));
  const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  if (source == Source::f16) return _mm256_cvtph_ps(half);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
}

/// Eight elements of a row. Those beyond its end are zeros.
inline __m256 floats_at(const BlockRowJob& job, std::int64_t k) {
  const std::int64_t size = job.source == Source::f32 ? 4 : 2;
  if (k + 8 <= job.k) return whole_floats_at(job.row + k * size, job.source);
  std::byte some[32] = {};
  if (k < job.k) std::memcpy(some, job.row + k * size, static_cast<std::size_t>((job.k - k) * size));
  return whole_floats_at(some, job.source);
}

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
