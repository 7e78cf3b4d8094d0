// Packs weights for the small-M kernels: bricks of 64 rows × 128 of K, in the order in which their threads hold them. A
// block packs 64 rows. Rows whose block scales lie too far apart for the kernel are counted, not packed.

#include "gemmtune/kernels/integers.cuh"
#include "gemmtune/kernels/small_m/arguments.h"
#include "gemmtune/kernels/small_m/bits.h"

constexpr bool row_base = SMALL_M_ROW_BASE;
constexpr int most_binades = row_base ? gemmtune::small_m_row_binades : gemmtune::small_m_block_binades;
constexpr int brick_bytes = gemmtune::small_m_brick_bytes;

using Sizes = gemmtune::SmallMSizes;

struct RowStats {
  int highest;  // of blocks that are not zero; -1 where all are
  int binades;
  float base;
};

__device__ inline float power_of_two(int exponent) {
  return __uint_as_float(exponent >= -126 ? (u32)(exponent + 127) << 23 : 1u << (exponent + 149));
}

/// Eight codes of the 32 from k on, for the thread `part` of four. See place_in_block().
__device__ inline u32 load_word(const u8* w, const Sizes& s, int row, int k, int part) {
  if (row >= s.n || k >= s.k) return 0;
  const u8* block = w + ((i64)row * s.k + k) / 2;
  if (!row_base) return ((const u32*)block)[part];
  const u16* pairs = (const u16*)block;
  return pairs[part] | (u32)pairs[part + 4] << 16;
}

__device__ inline u32 pack_word(u32 word) {
  return row_base ? gemmtune::pack_to_look_up(word) : gemmtune::pack_to_move(word);
}

__device__ inline bool is_zero(const u8* w, const Sizes& s, int row, int block) {
  const u32* words = (const u32*)(w + ((i64)row * s.k + block * 32) / 2);
  return ((words[0] | words[1] | words[2] | words[3]) & 0x77777777u) == 0;
}

/// One warp, one row.
__device__ inline RowStats row_stats(const u8* w, const u8* scales, const Sizes& s, int row) {
  int highest = -1;
  int lowest = 1000;
  int nan = 0;
  const int blocks = row < s.n ? s.k / 32 : 0;
  for (int block = threadIdx.x % 32; block < blocks; block += 32) {
    const int exponent = scales[(i64)row * (s.k / 32) + block];
    if (exponent == 255) nan = 1;
    if (exponent == 255 || is_zero(w, s, row, block)) continue;
    highest = max(highest, exponent);
    lowest = min(lowest, exponent);
  }
  for (int i = 16; i > 0; i /= 2) {
    highest = max(highest, __shfl_xor_sync(0xffffffffu, highest, i));
    lowest = min(lowest, __shfl_xor_sync(0xffffffffu, lowest, i));
    nan |= __shfl_xor_sync(0xffffffffu, nan, i);
  }
  if (nan) return {-1, 0, __uint_as_float(0x7fc00000u)};
  if (highest < 0) return {-1, 0, 1.0f};
  return {highest, highest - lowest, power_of_two(highest - 127)};
}

/// What stands for a block's scale: the shift of its e4m3 values, or an f32's exponent (2^12 for the values' 2^-12).
__device__ inline u32 scale_byte(const u8* w, const u8* scales, const Sizes& s, int row, int block, int highest) {
  const u32 neutral = row_base ? 0 : 127;
  if (row >= s.n || block * 32 >= s.k || highest < 0 || is_zero(w, s, row, block)) return neutral;
  const int below = highest - scales[(i64)row * (s.k / 32) + block];
  if (below > most_binades) return neutral;
  return (row_base ? most_binades : most_binades + 1) - below;
}

/// `wide`: for each 64 rows, how many are too wide, and over how many binades they spread at most.
extern "C" __global__ void pack_small_m(const u8* w, const u8* scales, u8* packed, float* base, u32* wide, Sizes s) {
  __shared__ RowStats stats[64];
  const int batch = blockIdx.y;
  const int tile = blockIdx.x;
  w += (i64)batch * s.n * (s.k / 2);
  scales += (i64)batch * s.n * (s.k / 32);
  for (int i = threadIdx.x / 32; i < 64; i += blockDim.x / 32) {
    const RowStats row = row_stats(w, scales, s, tile * 64 + i);
    if (threadIdx.x % 32 != 0) continue;
    stats[i] = row;
    base[((i64)batch * s.w_tiles + tile) * 64 + i] = row.base;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 rows = 0;
    int most = 0;
    for (const RowStats& row : stats) {
      rows += row.binades > most_binades;
      most = max(most, row.binades);
    }
    wide[2 * (batch * s.w_tiles + tile)] = rows;
    wide[2 * (batch * s.w_tiles + tile) + 1] = most;
  }

  const int chunks = 2 * ((s.k + gemmtune::small_m_unit_k - 1) / gemmtune::small_m_unit_k);
  u8* bricks = packed + ((i64)batch * s.w_tiles + tile) * chunks * brick_bytes;
  const int half = threadIdx.x / 128;
  const int warp = threadIdx.x / 32 % 4;
  const int lane = threadIdx.x % 32;
  const int row = tile * 64 + warp * 16 + lane / 4;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    u8* brick = bricks + (i64)chunk * brick_bytes;
    const int k = chunk * 128 + half * 64;
    const auto word = [&](int at, int from_k) { return pack_word(load_word(w, s, at, from_k, lane % 4)); };
    const uint4 words = {word(row, k), word(row + 8, k), word(row, k + 32), word(row + 8, k + 32)};
    ((uint4*)brick)[threadIdx.x] = words;
    const int place = threadIdx.x / 4;  // warp, row of 8, which 8
    const int scaled_row = place / 16 * 16 + place / 2 % 8 + place % 2 * 8;
    brick[4096 + threadIdx.x] =
        scale_byte(w, scales, s, tile * 64 + scaled_row, chunk * 4 + threadIdx.x % 4, stats[scaled_row].highest);
  }
}
