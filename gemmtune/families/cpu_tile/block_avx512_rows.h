// AVX-512: writes rows of A to their panels, quantised to int8 or as pairs of bf16. Only for block_<form>_avx512….cpp
// and block_amx.cpp.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

#include "gemmtune/families/cpu_tile/block_avx512.h"
#include "gemmtune/families/cpu_tile/block_quantise.h"

namespace gemmtune::cpu_tile {
namespace {

/// The values of E2M1 and int4 as bf16, twice.
alignas(64) constexpr std::uint16_t e2m1_words[32] = {0x0000, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4040, 0x4080, 0x40c0,
                                                      0x8000, 0xbf00, 0xbf80, 0xbfc0, 0xc000, 0xc040, 0xc080, 0xc0c0,
                                                      0x0000, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4040, 0x4080, 0x40c0,
                                                      0x8000, 0xbf00, 0xbf80, 0xbfc0, 0xc000, 0xc040, 0xc080, 0xc0c0};
alignas(64) constexpr std::uint16_t int4_words[32] = {0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0,
                                                      0xc100, 0xc0e0, 0xc0c0, 0xc0a0, 0xc080, 0xc040, 0xc000, 0xbf80,
                                                      0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0,
                                                      0xc100, 0xc0e0, 0xc0c0, 0xc0a0, 0xc080, 0xc040, 0xc000, 0xbf80};

inline __m512i magnitudes(__m512 value) {
  return _mm512_and_epi32(_mm512_castps_si512(value), _mm512_set1_epi32(0x7fffffff));
}

/// Rounds to nearest even, as the CPU's default is.
inline __m512i codes_of(__m512 values, __m512 scale) {
  const __m512i codes = _mm512_cvtps_epi32(_mm512_div_ps(values, scale));
  return _mm512_max_epi32(_mm512_min_epi32(codes, _mm512_set1_epi32(127)), _mm512_set1_epi32(-127));
}

/// One block of a row.
struct Quantiser {
  const BlockRowJob& job;

  void write(std::int64_t b, ScaleExtent& extent) const {
    const std::int64_t k = b * block_length;
    const __m512 low = floats_at(job.row, job.source, k, mask_at(k, job.k));
    const __m512 high = floats_at(job.row, job.source, k + 16, mask_at(k + 16, job.k));
    const float scale = scale_of(_mm512_reduce_max_epu32(_mm512_max_epu32(magnitudes(low), magnitudes(high))));
    const __m512i first = codes_of(low, _mm512_set1_ps(scale)), second = codes_of(high, _mm512_set1_ps(scale));
    std::byte* block = job.panel + b * job.block_bytes;
    auto* codes = reinterpret_cast<__m128i*>(block + job.inside * block_length);
    _mm_storeu_si128(codes, _mm512_cvtepi32_epi8(first));
    _mm_storeu_si128(codes + 1, _mm512_cvtepi32_epi8(second));
    write_scale(job, block, scale, extent);
    write_corrections(job, block, _mm512_reduce_add_epi32(first), _mm512_reduce_add_epi32(second));
  }
};

inline ScaleExtent quantise_row(const BlockRowJob& job) {
  ScaleExtent extent;
  const Quantiser quantiser{job};
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) quantiser.write(b, extent);
  return extent;
}

/// Copies the row, with the order of pairs that decoded weights have.
inline ScaleExtent copy_pairs(const BlockRowJob& job) {
  const __m512i order = _mm512_set_epi16(31, 29, 27, 25, 30, 28, 26, 24, 23, 21, 19, 17, 22, 20, 18, 16,  //
                                         15, 13, 11, 9, 14, 12, 10, 8, 7, 5, 3, 1, 6, 4, 2, 0);
  for (std::int64_t b = job.first_block; b < job.last_block; ++b) {
    const std::int64_t k = b * block_length, left = job.k - k;
    const __mmask32 mask = left >= 32 ? 0xffffffffU : (1U << left) - 1;
    const __m512i values = _mm512_maskz_loadu_epi16(mask, job.row + 2 * k);
    std::byte* to = job.panel + b * job.block_bytes + job.inside * row_bytes_of(BlockRows::bf16_pairs);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi16(order, values));
  }
  return {};
}

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
