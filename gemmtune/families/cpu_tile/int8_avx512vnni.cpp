// AVX-512 VNNI: vpdpbusd on 512 bits, with one column panel in a register.
#include <immintrin.h>

#include <utility>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::avx512vnni {
namespace {

inline __m512i broadcast_four(const std::byte* from) {
  return _mm512_broadcastd_epi32(_mm_castps_si128(_mm_load_ss(reinterpret_cast<const float*>(from))));
}

/// The sums of a tile. All loops over them are unrolled and have no branches; otherwise g++ keeps the array in memory.
template <int Rows, int Panels>
struct Sums {
  __m512i of[Rows][Panels];
};

/// The sums in memory, or zeros.
template <int Rows, int Panels>
inline Sums<Rows, Panels> load_sums(const TileJob& job) {
  const __mmask16 mask = job.accumulate ? 0xffff : 0;
  Sums<Rows, Panels> sums;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      sums.of[r][p] = _mm512_maskz_loadu_epi32(mask, job.acc + (r * Panels + p) * panel_columns);
    }
  }
  return sums;
}

/// Adds the products of four elements of K for all rows and panels.
template <int Rows, int Panels>
inline void add_group(const std::byte* a, const std::byte* w, std::int64_t w_stride, Sums<Rows, Panels>& sums) {
  __m512i columns[Panels];
#pragma GCC unroll 16
  for (int p = 0; p < Panels; ++p) columns[p] = _mm512_loadu_si512(w + p * w_stride);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    const __m512i row = broadcast_four(a + r * k_step);
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) sums.of[r][p] = _mm512_dpbusd_epi32(sums.of[r][p], row, columns[p]);
  }
}

template <int Height, int Rows, int Panels>
void tile_rows(const TileJob& job) {
  auto sums = load_sums<Rows, Panels>(job);
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    const std::byte* a = job.a + step * Height * k_step;
    const std::byte* w = job.w + step * panel_step_bytes;
    for (int g = 0; g < k_step / 4; ++g) add_group(a + g * 4, w + g * 64, job.w_stride, sums);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) {
      _mm512_storeu_si512(job.acc + (r * Panels + p) * panel_columns, sums.of[r][p]);
    }
  }
}

template <int Height, int Panels, int... Less>
void tile_dispatch(const TileJob& job, std::integer_sequence<int, Less...>) {
  constexpr void (*table[])(const TileJob&) = {tile_rows<Height, Less + 1, Panels>...};
  table[job.rows - 1](job);
}

template <int Height, int Panels>
void tile(const TileJob& job) {
  tile_dispatch<Height, Panels>(job, std::make_integer_sequence<int, Height>{});
}

constexpr TileKernel tiles[] = {{.m = 12, .n = 32, .run = tile<12, 2>},
                                {.m = 6, .n = 64, .run = tile<6, 4>},
                                {.m = 8, .n = 32, .run = tile<8, 2>},
                                {.m = 4, .n = 64, .run = tile<4, 4>}};

}  // namespace

constinit const std::span<const TileKernel> int8_tiles{tiles};

}  // namespace gemmtune::cpu_tile::avx512vnni
