// Eight floats of AVX2 with FMA and F16C. Only for files compiled for these instructions.
#pragma once

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

#include <immintrin.h>

#include "gemmtune/families/cpu_tile/float_kernels.h"

namespace gemmtune::cpu_tile {
namespace {

struct VecAvx2 {
  using Type = __m256;

  static constexpr int width = 8;
  static constexpr int registers = 16;

  static Type zero() { return _mm256_setzero_ps(); }
  static Type set1(float value) { return _mm256_set1_ps(value); }
  static Type broadcast(const float* from) { return _mm256_broadcast_ss(from); }
  static Type mul(Type a, Type b) { return _mm256_mul_ps(a, b); }
  static Type add(Type a, Type b) { return _mm256_add_ps(a, b); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
  static Type load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Type value) { _mm256_storeu_ps(to, value); }

  static float sum(Type a) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }

  template <Source S>
  static Type load_source(const std::byte* from) {
    if constexpr (S == Source::bf16) return widen_bf16(load128(from));
    if constexpr (S == Source::f16) return _mm256_cvtph_ps(load128(from));
    if constexpr (S == Source::e4m3) return mul(_mm256_cvtph_ps(e4m3_as_f16(load64(from))), set1(256));
    if constexpr (S == Source::e4m3fnuz) return mul(_mm256_cvtph_ps(e4m3fnuz_as_f16(load64(from))), set1(128));
    if constexpr (S == Source::i8) return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(load64(from)));
    return _mm256_loadu_ps(reinterpret_cast<const float*>(from));
  }

  static void transpose(Type (&r)[width]) {
    Type pairs[width];
    for (int i = 0; i < width; i += 2) {
      pairs[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
      pairs[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    Type fours[width];
    for (int i = 0; i < width; i += 4) {
      fours[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
      fours[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xee);
      fours[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
      fours[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
      r[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
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
        _mm256_storeu_ps(reinterpret_cast<float*>(to), value);
      } else {
        const __m128i rounded = T == Sink::bf16 ? round_bf16(value) : _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rounded);
      }
    }
  };

 private:
  static __m128i load128(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
  static __m128i load64(const std::byte* from) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)); }

  static Type widen_bf16(__m128i bits) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }

  /// Moves sign, exponent and fraction to their places in f16, which gives the value times 2^(7-15). NaN stays NaN.
  static __m128i e4m3_as_f16(__m128i bytes) {
    const __m128i moved = _mm_and_si128(_mm_slli_epi16(_mm_cvtepi8_epi16(bytes), 7), _mm_set1_epi16(~0x4000));
    const __m128i magnitude = _mm_and_si128(moved, _mm_set1_epi16(0x7fff));
    return _mm_or_si128(moved, _mm_cmpeq_epi16(magnitude, _mm_set1_epi16(0x3f80)));
  }

  /// The same for bias 8, where the only NaN has the code of -0.
  static __m128i e4m3fnuz_as_f16(__m128i bytes) {
    const __m128i moved = _mm_and_si128(_mm_slli_epi16(_mm_cvtepi8_epi16(bytes), 7), _mm_set1_epi16(~0x4000));
    return _mm_or_si128(moved, _mm_cmpeq_epi16(moved, _mm_set1_epi16(static_cast<short>(0x8000))));
  }

  /// Rounds to nearest even. NaN keeps its upper bits and becomes quiet.
  static __m128i round_bf16(Type value) {
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i upper = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(upper, upper), 0x08);
    return _mm256_castsi256_si128(packed);
  }
};

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
