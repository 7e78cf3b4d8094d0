// AVX2: 16-bit pairs with vpmaddwd. vpmaddubsw would need half the loads, but it saturates for int8's full range, and
// for the smaller values of MXFP4 it also needs two multiplications for 32 products.
#include <immintrin.h>

#include <utility>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::avx2 {
namespace {

/// A vector has eight sums for four columns: two for each column, of even and of odd pairs along K. All loops over
/// vectors are unrolled and have no branches; otherwise g++ keeps the array in memory.
template <int Rows, int Vectors>
struct Accumulators {
  __m256i sum[Rows][Vectors];
};

/// Four elements of K for `Vectors` × 4 columns. `w` has bytes, `a` has 16-bit values.
template <int Height, int Rows, int Vectors>
inline void add_group(const std::byte* a, const std::byte* w, Accumulators<Rows, Vectors>& acc) {
  __m256i columns[Vectors];
#pragma GCC unroll 16
  for (int v = 0; v < Vectors; ++v) {
    const std::byte* from = w + v * 16;
    columns[v] = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    const __m256i row = _mm256_castpd_si256(_mm256_broadcast_sd(reinterpret_cast<const double*>(a + r * 2 * k_step)));
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
      acc.sum[r][v] = _mm256_add_epi32(acc.sum[r][v], _mm256_madd_epi16(row, columns[v]));
    }
  }
}

/// Adds the two sums of each column: two vectors of four columns become one of eight.
inline __m256i eight_columns(__m256i low, __m256i high) {
  return _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xd8);
}

template <int Height, int Rows, int Width>
void tile_rows(const TileJob& job) {
  constexpr int vectors = Width / 4;
  Accumulators<Rows, vectors> acc{};
  const std::byte* a = job.a;
  const std::byte* w = job.w;
  std::int64_t left = job.k_steps;
  do {  // there is always a first step: for a loop that might not run, g++ makes a second copy of all sums
    for (int g = 0; g < k_step / 4; ++g) add_group<Height>(a + g * 8, w + g * 64, acc);
    a += Height * k_step * 2;
    w += panel_step_bytes;
  } while (--left > 0);
  const __m256i before = _mm256_set1_epi32(job.accumulate ? -1 : 0);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v += 2) {
      std::int32_t* out = job.acc + r * Width + v * 4;
      const __m256i sum = eight_columns(acc.sum[r][v], acc.sum[r][v + 1]);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_add_epi32(sum, _mm256_maskload_epi32(out, before)));
    }
  }
}

/// Selects the instance for the number of rows, because tiles at the lower edge have fewer rows.
template <int Height, int Width, int... Less>
void tile_dispatch(const TileJob& job, std::integer_sequence<int, Less...>) {
  constexpr void (*table[])(const TileJob&) = {tile_rows<Height, Less + 1, Width>...};
  table[job.rows - 1](job);
}

template <int Height, int Width>
void tile(const TileJob& job) {
  tile_dispatch<Height, Width>(job, std::make_integer_sequence<int, Height>{});
}

constexpr TileKernel tiles[] = {
    {.m = 6, .n = 8, .run = tile<6, 8>}, {.m = 2, .n = 16, .run = tile<2, 16>}, {.m = 4, .n = 8, .run = tile<4, 8>}};

inline __m128i load16(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

/// 16 elements of a row, starting with element `first`, as 16-bit values.
inline __m256i widen_row(const BlockDotJob& job, int first) {
  if (job.form == RowForm::s16) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(job.a + 2 * first));
  const __m128i flip = _mm_set1_epi8(job.form == RowForm::u8_plus_128 ? static_cast<char>(0x80) : char{0});
  return _mm256_cvtepi8_epi16(_mm_xor_si128(load16(job.a + first), flip));
}

}  // namespace

constinit const std::span<const TileKernel> int8_tiles{tiles};

void block_dot(const BlockDotJob& job) {
  alignas(32) std::int16_t row[scale_block];
  for (int i = 0; i < 32; i += 16) _mm256_store_si256(reinterpret_cast<__m256i*>(row + i), widen_row(job, i));
  Accumulators<1, 4> acc{};
  for (int g = 0; g < scale_block / 4; ++g) {
    add_group<1>(reinterpret_cast<const std::byte*>(row + 4 * g), job.w + g * 64, acc);
  }
#pragma GCC unroll 16
  for (int v = 0; v < 4; v += 2) {
    const __m256i sum = eight_columns(acc.sum[0][v], acc.sum[0][v + 1]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(job.dots + v * 4), sum);
  }
}

}  // namespace gemmtune::cpu_tile::avx2
