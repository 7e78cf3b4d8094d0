// AVX-VNNI: vpdpbusd on 256 bits, for cores without AVX-512 (Alder Lake and later).
#include <immintrin.h>

#include <utility>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::avxvnni {
namespace {

/// The sums of a tile. All loops over them are unrolled and have no branches; otherwise g++ keeps the array in memory.
template <int Rows, int Vectors>
struct Sums {
  __m256i of[Rows][Vectors];
};

/// The sums in memory, or zeros.
template <int Rows, int Vectors>
inline Sums<Rows, Vectors> load_sums(const TileJob& job) {
  const __m256i mask = _mm256_set1_epi32(job.accumulate ? -1 : 0);
  Sums<Rows, Vectors> sums;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
      sums.of[r][v] = _mm256_maskload_epi32(job.acc + (r * Vectors + v) * 8, mask);
    }
  }
  return sums;
}

/// Adds the products of four elements of K for all rows and vectors of eight columns.
template <int Rows, int Vectors>
inline void add_group(const std::byte* a, const std::byte* w, std::int64_t w_stride, Sums<Rows, Vectors>& sums) {
  __m256i columns[Vectors];
#pragma GCC unroll 16
  for (int v = 0; v < Vectors; ++v) {
    columns[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + v / 2 * w_stride + v % 2 * 32));
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    const __m256i row = _mm256_castps_si256(_mm256_broadcast_ss(reinterpret_cast<const float*>(a + r * k_step)));
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) sums.of[r][v] = _mm256_dpbusd_avx_epi32(sums.of[r][v], row, columns[v]);
  }
}

template <int Height, int Rows, int Width>
void tile_rows(const TileJob& job) {
  constexpr int vectors = Width / 8;
  auto sums = load_sums<Rows, vectors>(job);
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    const std::byte* a = job.a + step * Height * k_step;
    const std::byte* w = job.w + step * panel_step_bytes;
    for (int g = 0; g < k_step / 4; ++g) add_group(a + g * 4, w + g * 64, job.w_stride, sums);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(job.acc + r * Width + v * 8), sums.of[r][v]);
    }
  }
}

template <int Height, int Width, int... Less>
void tile_dispatch(const TileJob& job, std::integer_sequence<int, Less...>) {
  constexpr void (*table[])(const TileJob&) = {tile_rows<Height, Less + 1, Width>...};
  table[job.rows - 1](job);
}

template <int Height, int Width>
void tile(const TileJob& job) {
  tile_dispatch<Height, Width>(job, std::make_integer_sequence<int, Height>{});
}

constexpr TileKernel tiles[] = {{.m = 6, .n = 16, .run = tile<6, 16>},
                                {.m = 3, .n = 32, .run = tile<3, 32>},
                                {.m = 4, .n = 16, .run = tile<4, 16>}};

}  // namespace

constinit const std::span<const TileKernel> int8_tiles{tiles};

}  // namespace gemmtune::cpu_tile::avxvnni
