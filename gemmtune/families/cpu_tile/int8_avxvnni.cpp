// AVX-VNNI: vpdpbusd on 256 bits, for cores without AVX-512 (Alder Lake and later).
#include <immintrin.h>

#include <utility>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::avxvnni {
namespace {

/// Four of K for `Vectors` × 8 columns.
template <int Rows, int Vectors>
inline void add_group(const std::byte* a, const TileJob& job, std::int64_t offset, __m256i (&sum)[Rows][Vectors]) {
  __m256i columns[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    const std::byte* from = job.w + v / 2 * job.w_stride + offset + v % 2 * 32;
    columns[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  for (int r = 0; r < Rows; ++r) {
    const auto* from = reinterpret_cast<const float*>(a + r * k_step);
    const __m256i row = _mm256_castps_si256(_mm256_broadcast_ss(from));
    for (int v = 0; v < Vectors; ++v) sum[r][v] = _mm256_dpbusd_avx_epi32(sum[r][v], row, columns[v]);
  }
}

template <int Height, int Rows, int Width>
void tile_rows(const TileJob& job) {
  constexpr int vectors = Width / 8;
  __m256i sum[Rows][vectors] = {};
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    const std::byte* a = job.a + step * Height * k_step;
    for (int g = 0; g < k_step / 4; ++g) add_group(a + g * 4, job, step * panel_step_bytes + g * 64, sum);
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      auto* out = reinterpret_cast<__m256i*>(job.acc + r * Width + v * 8);
      const __m256i before = job.accumulate ? _mm256_loadu_si256(out) : _mm256_setzero_si256();
      _mm256_storeu_si256(out, _mm256_add_epi32(sum[r][v], before));
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
