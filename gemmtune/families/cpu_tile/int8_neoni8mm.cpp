// Arm's matrix product of int8 (SMMLA): two rows × two columns over eight of K in one instruction. Both operands then
// have eight consecutive bytes of one row or column in each half of a register, which is not how panels are stored:
// rows are paired once for a whole tile, and columns in registers, at one more instruction for each vector.
#include <arm_neon.h>

#include <algorithm>
#include <utility>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::neoni8mm {
namespace {

constexpr std::int64_t chunk_steps = 16;  // 1024 of K: eight rows of it are 8 KiB, a fraction of the L1 cache
constexpr int strip_columns = 8;          // whose sums with eight rows fill half of the registers
constexpr int group_bytes = 4 * panel_columns;

inline int8x16_t load16(const std::byte* from) { return vld1q_s8(reinterpret_cast<const std::int8_t*>(from)); }

/// Rows of a chunk in pairs: [k / 8][pair][row of the pair][8].
template <int Pairs>
struct PairedRows {
  alignas(64) std::byte bytes[chunk_steps * k_step * 2 * Pairs];
};

/// Pairs 16 elements of two rows.
inline void pair_rows(const std::byte* first, const std::byte* second, std::int64_t stride, std::byte* out) {
  const int64x2_t upper = vreinterpretq_s64_s8(load16(first)), lower = vreinterpretq_s64_s8(load16(second));
  vst1q_s64(reinterpret_cast<std::int64_t*>(out), vzip1q_s64(upper, lower));
  vst1q_s64(reinterpret_cast<std::int64_t*>(out + stride), vzip2q_s64(upper, lower));
}

/// A last row without a partner is paired with itself.
template <int Height, int Pairs>
void pair_chunk(const TileJob& job, std::int64_t first_step, std::int64_t steps, PairedRows<Pairs>& out) {
  constexpr std::int64_t stride = Pairs * 16;
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::byte* a = job.a + (first_step + step) * Height * k_step;
    std::byte* to = out.bytes + step * k_step / 8 * stride;
    for (std::int64_t p = 0; p < Pairs; ++p) {
      const std::byte* first = a + 2 * p * k_step;
      const std::byte* second = a + std::min<std::int64_t>(2 * p + 1, job.rows - 1) * k_step;
      for (std::int64_t k = 0; k < k_step; k += 16) {
        pair_rows(first + k, second + k, stride, to + k / 8 * stride + p * 16);
      }
    }
  }
}

/// The sums of pairs of rows with pairs of columns, each as [row][column]. All loops over them are unrolled and have no
/// branches; otherwise g++ keeps the array in memory.
template <int Pairs>
struct Sums {
  int32x4_t of[Pairs][strip_columns / 2];
};

/// Adds eight elements of K. `w` has two groups of four along K.
template <int Pairs>
inline void add_groups(const std::byte* a, const std::byte* w, Sums<Pairs>& sums) {
  int8x16_t columns[strip_columns / 2];
#pragma GCC unroll 16
  for (int v = 0; v < strip_columns / 4; ++v) {
    const int32x4_t low = vreinterpretq_s32_s8(load16(w + v * 16));
    const int32x4_t high = vreinterpretq_s32_s8(load16(w + v * 16 + group_bytes));
    columns[2 * v] = vreinterpretq_s8_s32(vzip1q_s32(low, high));
    columns[2 * v + 1] = vreinterpretq_s8_s32(vzip2q_s32(low, high));
  }
#pragma GCC unroll 16
  for (int p = 0; p < Pairs; ++p) {
    const int8x16_t rows = load16(a + p * 16);
#pragma GCC unroll 16
    for (int c = 0; c < strip_columns / 2; ++c) sums.of[p][c] = vmmlaq_s32(sums.of[p][c], rows, columns[c]);
  }
}

/// Stores four sums of one row, or adds them to those in memory.
inline void put(int64x2_t row, bool add, std::int32_t* out) {
  const int32x4_t sums = vreinterpretq_s32_s64(row);
  vst1q_s32(out, add ? vaddq_s32(sums, vld1q_s32(out)) : sums);
}

template <int Pairs, int Width>
inline void put_sums(const Sums<Pairs>& sums, std::int64_t rows, bool add, std::int32_t* out) {
#pragma GCC unroll 16
  for (int p = 0; p < Pairs; ++p) {
#pragma GCC unroll 16
    for (int c = 0; c < strip_columns / 2; c += 2, out += 4) {
      const int64x2_t left = vreinterpretq_s64_s32(sums.of[p][c]), right = vreinterpretq_s64_s32(sums.of[p][c + 1]);
      put(vzip1q_s64(left, right), add, out);
      if (2 * p + 1 < rows) put(vzip2q_s64(left, right), add, out + Width);
    }
    out += 2 * Width - strip_columns;
  }
}

template <int Pairs, int Width>
void multiply_chunk(const TileJob& job, std::int64_t first_step, std::int64_t steps, const PairedRows<Pairs>& a) {
  const bool add = job.accumulate || first_step > 0;
  for (std::int64_t column = 0; column < Width; column += strip_columns) {
    const std::byte* w = job.w + column / panel_columns * job.w_stride + column % panel_columns * 4;
    w += first_step * panel_step_bytes;
    Sums<Pairs> sums{};
    for (std::int64_t k = 0; k < steps * k_step / 8; ++k) {
      add_groups(a.bytes + k * Pairs * 16, w + k * 2 * group_bytes, sums);
    }
    put_sums<Pairs, Width>(sums, job.rows, add, job.acc + column);
  }
}

template <int Height, int Pairs, int Width>
void tile_rows(const TileJob& job) {
  PairedRows<Pairs> paired;
  for (std::int64_t step = 0; step < job.k_steps; step += chunk_steps) {
    const std::int64_t steps = std::min(chunk_steps, job.k_steps - step);
    pair_chunk<Height>(job, step, steps, paired);
    multiply_chunk<Pairs, Width>(job, step, steps, paired);
  }
}

/// Selects the instance for the number of pairs, because tiles at the lower edge have fewer rows.
template <int Height, int Width, int... Less>
void tile_dispatch(const TileJob& job, std::integer_sequence<int, Less...>) {
  constexpr void (*table[])(const TileJob&) = {tile_rows<Height, Less + 1, Width>...};
  table[(job.rows - 1) / 2](job);
}

template <int Height, int Width>
void tile(const TileJob& job) {
  tile_dispatch<Height, Width>(job, std::make_integer_sequence<int, Height / 2>{});
}

constexpr TileKernel tiles[] = {{.m = 8, .n = 32, .run = tile<8, 32>},
                                {.m = 8, .n = 64, .run = tile<8, 64>},
                                {.m = 4, .n = 32, .run = tile<4, 32>},
                                {.m = 2, .n = 32, .run = tile<2, 32>}};

}  // namespace

constinit const std::span<const TileKernel> int8_tiles{tiles};

}  // namespace gemmtune::cpu_tile::neoni8mm
