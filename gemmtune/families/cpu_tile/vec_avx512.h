// Sixteen floats of AVX-512 (F, BW, DQ, VL). Only for files compiled for these instructions.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

#include <immintrin.h>

#include "gemmtune/families/cpu_tile/float_kernels.h"

namespace gemmtune::cpu_tile {
namespace {

struct VecAvx512 {
  using Type = __m512;

  static constexpr int width = 16;
  static constexpr int registers = 32;

  static Type zero() { return _mm512_setzero_ps(); }
  static Type set1(float value) { return _mm512_set1_ps(value); }
  static Type broadcast(const float* from) { return _mm512_set1_ps(*from); }
  static Type mul(Type a, Type b) { return _mm512_mul_ps(a, b); }
  static Type add(Type a, Type b) { return _mm512_add_ps(a, b); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm512_fmadd_ps(a, b, c); }
  static Type load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Type value) { _mm512_storeu_ps(to, value); }
  static float sum(Type a) { return _mm512_reduce_add_ps(a); }

  template <Source S>
  static Type load_source(const std::byte* from) {
    if constexpr (S == Source::bf16) return widen_bf16(load256(from));
    if constexpr (S == Source::f16) return _mm512_cvtph_ps(load256(from));
    if constexpr (S == Source::e4m3) return mul(_mm512_cvtph_ps(e4m3_as_f16(load128(from))), set1(256));
    if constexpr (S == Source::e4m3fnuz) return mul(_mm512_cvtph_ps(e4m3fnuz_as_f16(load128(from))), set1(128));
    if constexpr (S == Source::i8) return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load128(from)));
    return _mm512_loadu_ps(reinterpret_cast<const float*>(from));
  }

  static void transpose(Type (&r)[width]) {
    Type fours[width];
    for (int i = 0; i < width; i += 4) transpose_lanes(r + i, fours + i);
    // Lane l of fours[4g + j] has column 4l + j of rows 4g … 4g+3. Next, the four groups exchange lanes.
    for (int j = 0; j < 4; ++j) {
      const Type low01 = _mm512_shuffle_f32x4(fours[j], fours[4 + j], 0x44);
      const Type high01 = _mm512_shuffle_f32x4(fours[j], fours[4 + j], 0xee);
      const Type low23 = _mm512_shuffle_f32x4(fours[8 + j], fours[12 + j], 0x44);
      const Type high23 = _mm512_shuffle_f32x4(fours[8 + j], fours[12 + j], 0xee);
      r[j] = _mm512_shuffle_f32x4(low01, low23, 0x88);
      r[4 + j] = _mm512_shuffle_f32x4(low01, low23, 0xdd);
      r[8 + j] = _mm512_shuffle_f32x4(high01, high23, 0x88);
      r[12 + j] = _mm512_shuffle_f32x4(high01, high23, 0xdd);
    }
  }

  template <Sink T>
  struct Out {
    static constexpr std::int64_t bytes = T == Sink::f32 ? 4 : 2;

    static Type load(const std::byte* from) {
      if constexpr (T == Sink::f32) return load_source<Source::f32>(from);
      if constexpr (T == Sink::bf16) return load_source<Source::bf16>(from);
      return load_source<Source::f16>(from);
    }
    static void store(std::byte* to, Type value) {
      if constexpr (T == Sink::f32) {
        _mm512_storeu_ps(reinterpret_cast<float*>(to), value);
      } else {
        const __m256i rounded = T == Sink::bf16 ? round_bf16(value) : _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), rounded);
      }
    }
  };

 private:
  static __m256i load256(const std::byte* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static __m128i load128(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

  /// Transposes each 4×4 block of lanes in place: four rows of four lanes, which have four floats each.
  static void transpose_lanes(const Type* from, Type* to) {
    const Type low01 = _mm512_unpacklo_ps(from[0], from[1]);
    const Type high01 = _mm512_unpackhi_ps(from[0], from[1]);
    const Type low23 = _mm512_unpacklo_ps(from[2], from[3]);
    const Type high23 = _mm512_unpackhi_ps(from[2], from[3]);
    to[0] = _mm512_shuffle_ps(low01, low23, 0x44);
    to[1] = _mm512_shuffle_ps(low01, low23, 0xee);
    to[2] = _mm512_shuffle_ps(high01, high23, 0x44);
    to[3] = _mm512_shuffle_ps(high01, high23, 0xee);
  }

  static Type widen_bf16(__m256i bits) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }

  /// Moves sign, exponent and fraction to their places in f16, which gives the value times 2^(7-15). NaN stays NaN.
  static __m256i e4m3_as_f16(__m128i bytes) {
    const __m256i moved =
        _mm256_and_si256(_mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 7), _mm256_set1_epi16(~0x4000));
    const __m256i magnitude = _mm256_and_si256(moved, _mm256_set1_epi16(0x7fff));
    return _mm256_or_si256(moved, _mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(0x3f80)));
  }

  /// The same for bias 8, where the only NaN has the code of -0.
  static __m256i e4m3fnuz_as_f16(__m128i bytes) {
    const __m256i moved =
        _mm256_and_si256(_mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 7), _mm256_set1_epi16(~0x4000));
    return _mm256_or_si256(moved, _mm256_cmpeq_epi16(moved, _mm256_set1_epi16(static_cast<short>(0x8000))));
  }

  /// Rounds to nearest even. NaN keeps its upper bits and becomes quiet.
  static __m256i round_bf16(Type value) {
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    const __m512i quieted = _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(quieted, 16));
  }
};

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
