// Arm's dot product (SDOT): four columns in a register, with four values of a row in one lane of another.
#include <arm_neon.h>

#include <utility>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::neondot {
namespace {

constexpr int columns = 4;                              // of a vector
constexpr int panel_vectors = panel_columns / columns;  // of a panel, at one group of four along K
constexpr int row_bytes = 16;                           // of a row in a register: four groups along K
constexpr int group_bytes = 4 * panel_columns;

/// The sums of a tile. All loops over them are unrolled and have no branches; otherwise g++ keeps the array in memory.
template <int Rows, int Vectors>
struct Sums {
  int32x4_t of[Rows][Vectors];
};

template <int Rows>
struct RowParts {
  int8x16_t of[Rows];
};

inline int8x16_t load16(const std::byte* from) { return vld1q_s8(reinterpret_cast<const std::int8_t*>(from)); }

template <int Rows, int Vectors>
inline Sums<Rows, Vectors> load_sums(const TileJob& job) {
  Sums<Rows, Vectors> sums;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
      sums.of[r][v] = job.accumulate ? vld1q_s32(job.acc + (r * Vectors + v) * columns) : vdupq_n_s32(0);
    }
  }
  return sums;
}

/// Adds the products of group `Group` of the rows' parts with that group of the columns.
template <int Group, int Rows, int Vectors>
inline void add_group(const RowParts<Rows>& a, const std::byte* w, std::int64_t w_stride, Sums<Rows, Vectors>& sums) {
#pragma GCC unroll 16
  for (int v = 0; v < Vectors; ++v) {
    const int8x16_t column = load16(w + v / panel_vectors * w_stride + v % panel_vectors * 16);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) sums.of[r][v] = vdotq_laneq_s32(sums.of[r][v], column, a.of[r], Group);
  }
}

/// Adds 16 elements of K.
template <int Rows, int Vectors>
inline void add_part(const std::byte* a, const std::byte* w, std::int64_t w_stride, Sums<Rows, Vectors>& sums) {
  RowParts<Rows> rows;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) rows.of[r] = load16(a + r * k_step);
  add_group<0>(rows, w, w_stride, sums);
  add_group<1>(rows, w + group_bytes, w_stride, sums);
  add_group<2>(rows, w + 2 * group_bytes, w_stride, sums);
  add_group<3>(rows, w + 3 * group_bytes, w_stride, sums);
}

template <int Height, int Rows, int Vectors>
void tile_rows(const TileJob& job) {
  auto sums = load_sums<Rows, Vectors>(job);
  for (std::int64_t step = 0; step < job.k_steps; ++step) {
    const std::byte* a = job.a + step * Height * k_step;
    const std::byte* w = job.w + step * panel_step_bytes;
    for (int part = 0; part < k_step / row_bytes; ++part) {
      add_part(a + part * row_bytes, w + part * 4 * group_bytes, job.w_stride, sums);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) vst1q_s32(job.acc + (r * Vectors + v) * columns, sums.of[r][v]);
  }
}

/// Selects the instance for the number of rows, because tiles at the lower edge have fewer rows.
template <int Height, int Vectors, int... Less>
void tile_dispatch(const TileJob& job, std::integer_sequence<int, Less...>) {
  constexpr void (*table[])(const TileJob&) = {tile_rows<Height, Less + 1, Vectors>...};
  table[job.rows - 1](job);
}

template <int Height, int Width>
void tile(const TileJob& job) {
  tile_dispatch<Height, Width / columns>(job, std::make_integer_sequence<int, Height>{});
}

constexpr TileKernel tiles[] = {{.m = 6, .n = 16, .run = tile<6, 16>},
                                {.m = 8, .n = 8, .run = tile<8, 8>},
                                {.m = 4, .n = 16, .run = tile<4, 16>},
                                {.m = 2, .n = 32, .run = tile<2, 32>}};

}  // namespace

constinit const std::span<const TileKernel> int8_tiles{tiles};

}  // namespace gemmtune::cpu_tile::neondot
