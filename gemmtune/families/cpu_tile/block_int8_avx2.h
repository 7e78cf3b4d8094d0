// 256-bit dot products of int8 rows with weights in scaled blocks, over the instructions that multiply: a Multiplier
// has
//   signed_bytes                                                whether weights of 8 bits are multiplied as they are
//   add_small<Rows>(a, w, dots)   16 elements of K; weights are unsigned and at most 24
//   add_bytes<Rows>(a, w, dots)   4 elements of K; weights are any signed bytes
// Only for block_int8_avx2.cpp and block_int8_avxvnni.cpp.
#pragma once

#if defined(__AVX2__) && defined(__FMA__)

#include "gemmtune/families/cpu_tile/block_avx2.h"
#include "gemmtune/families/cpu_tile/block_quantise.h"

namespace gemmtune::cpu_tile {
namespace {

/// Codes of four bits as unsigned bytes: 2·E2M1 + 12, and int4 + 8.
alignas(16) constexpr unsigned char e2m1_bytes[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
alignas(16) constexpr unsigned char int4_bytes[16] = {8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7};

template <BlockWeights W>
inline __m256i decode(__m256i nibbles) {
  const unsigned char* table = W == BlockWeights::q4_0 ? int4_bytes : e2m1_bytes;
  const __m256i all = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
  return _mm256_shuffle_epi8(all, _mm256_and_si256(nibbles, _mm256_set1_epi8(15)));
}

template <typename Multiplier>
struct DotBytes : Avx2Sums {
  static constexpr BlockRows form = BlockRows::int8;

  /// The products of elements [16·half, 16·half + 16).
  template <BlockWeights W, int Rows>
  static void add_sixteen(const BlockAt& at, int half, __m256i (&dots)[Rows]) {
    const std::byte* a = at.a + 16 * half;
    if constexpr (has_nibbles(W)) {
      const __m256i low = bytes_at(at.values + 128 * half), high = bytes_at(at.values + 128 * half + 64);
      prefetch(at.values + 128 * half);
      prefetch(at.values + 128 * half + 64);
      const __m256i w[4] = {decode<W>(low), decode<W>(_mm256_srli_epi16(low, 4)), decode<W>(high),
                            decode<W>(_mm256_srli_epi16(high, 4))};
      Multiplier::template add_small<Rows>(a, w, dots);
    } else {
      GT_UNROLL_ALL for (int i = 0; i < 4; ++i) {
        prefetch(at.values + 256 * half + 64 * i);
        Multiplier::template add_bytes<Rows>(a + 4 * i, bytes_at(at.values + 256 * half + 64 * i), dots);
      }
    }
  }

  template <BlockWeights W>
  static __m256 unit_scales(const BlockAt& at, int group) {
    const __m256 scales = block_scales<W>(at, group);
    constexpr bool doubled = W == BlockWeights::mxfp4 || W == BlockWeights::nvfp4;
    return doubled ? _mm256_mul_ps(scales, _mm256_set1_ps(0.5F)) : scales;
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add_scaled(const BlockAt& at, int group, const __m256i (&dots)[Rows], Float (&sums)[Rows]) {
    const float* rows = scales_of(at);
    if constexpr (S == BlockScaling::add_exponents) {
      const __m256i bytes = words_of_bytes(at.scales + at.column);
      const __m256i powers = _mm256_slli_epi32(_mm256_sub_epi32(bytes, _mm256_set1_epi32(128)), 23);
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        const __m256i row = broadcast_at(reinterpret_cast<const std::byte*>(rows + r));
        const __m256 scale = _mm256_castsi256_ps(_mm256_add_epi32(powers, row));
        sums[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[r]), scale, sums[r]);
      }
      return;
    }
    const __m256 columns = unit_scales<W>(at, group);
    GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
      const __m256 scale = _mm256_mul_ps(columns, _mm256_set1_ps(rows[r]));
      sums[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[r]), scale, sums[r]);
    }
  }

  template <BlockWeights W, BlockScaling S, int Rows>
  static void add(const BlockAt& at, Float (&sums)[Rows]) {
    constexpr int groups = groups_of(W);
    constexpr bool corrected = has_nibbles(W) || !Multiplier::signed_bytes;
    prefetch(at.scales);
    GT_UNROLL_ALL for (int group = 0; group < groups; ++group) {
      __m256i dots[Rows];
      GT_UNROLL_ALL for (int r = 0; r < Rows; ++r) {
        dots[r] = corrected ? _mm256_set1_epi32(corrections_of(at, group)[r]) : _mm256_setzero_si256();
      }
      GT_UNROLL_ALL for (int half = group; half < 2; half += groups) add_sixteen<W>(at, half, dots);
      add_scaled<W, S>(at, group, dots, sums);
    }
  }
};

inline std::uint32_t largest_of(__m256i values) {
  alignas(32) std::uint32_t each[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(each), values);
  std::uint32_t largest = 0;
  for (const std::uint32_t value : each) largest = value > largest ? value : largest;
  return largest;
}

/// One block of a row.
struct Avx2Quantiser {
  const BlockRowJob& job;

  void write(std::int64_t b, ScaleExtent& extent) const {
    __m256 values[4];
    __m256i amax = _mm256_setzero_si256();
    for (int i = 0; i < 4; ++i) {
      values[i] = floats_at(job, b * block_length + 8 * i);
      const __m256i bits = _mm256_and_si256(_mm256_castps_si256(values[i]), _mm256_set1_epi32(0x7fffffff));
      amax = _mm256_max_epu32(amax, bits);
    }
    const float scale = scale_of(largest_of(amax));
    std::byte* block = job.panel + b * job.block_bytes;
    std::int32_t sums[2] = {};
    for (int i = 0; i < 4; ++i) sums[i / 2] += write_codes(values[i], scale, block + job.inside * block_length + 8 * i);
    write_scale(job, block, scale, extent);
    write_corrections(job, block, sums[0], sums[1]);
  }

 private:
  /// Rounds to nearest even, as the CPU's default is. Returns the sum of eight codes.
  static std::int32_t write_codes(__m256 values, float scale, std::byte* to) {
    const __m256i rounded = _mm256_cvtps_epi32(_mm256_div_ps(values, _mm256_set1_ps(scale)));
    const __m256i limit = _mm256_set1_epi32(127);
    alignas(32) std::int32_t codes[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(codes),
                       _mm256_max_epi32(_mm256_min_epi32(rounded, limit), _mm256_set1_epi32(-127)));
    std::int32_t sum = 0;
    for (int i = 0; i < 8; ++i) {
      to[i] = static_cast<std::byte>(codes[i]);
      sum += codes[i];
    }
    return sum;
  }
};

inline ScaleExtent pack_bytes_row(const BlockRowJob& job) {
  ScaleExtent extent;
  const Avx2Quantiser quantiser{job};
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) quantiser.write(b, extent);
  return extent;
}

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
