// Packs weights for w4_multiply.cu: a block of 256 threads packs 64 rows. Rows that A's type cannot hold exactly are
// counted. W4_FP8 is 1 for products with A in E4M3 (w4_fp8_bits.h) and 0 for bf16 (w4_bits.h); W4_SCALE_K is 32 for
// MXFP4 and 16 for NVFP4.

#include "gemmtune/kernels/integers.cuh"
#include "gemmtune/kernels/w4/w4_arguments.h"
#include "gemmtune/kernels/w4/w4_bits.h"
#include "gemmtune/kernels/w4/w4_fp8_bits.h"

constexpr int scale_k = W4_SCALE_K;
constexpr bool is_fp8 = W4_FP8;
constexpr bool is_mx = scale_k == 32;
constexpr int row_scales = gemmtune::w4_brick_k / scale_k;  // in a brick

/// 64 rows of W and their scales.
struct Rows {
  const u8* w;
  const u8* scales;
  int count;
  int k;

  __device__ int blocks() const { return (k + scale_k - 1) / scale_k; }
  __device__ int scale(int row, int block) const { return scales[(i64)row * blocks() + block]; }
  __device__ u32 code(int row, int column) const {
    return row < count && column < k ? w[((i64)row * k + column) / 2] >> (column % 2 * 4) & 15u : 0;
  }
  __device__ bool is_zero(int row, int block) const {
    u32 any = 0;
    for (int i = 0; i < scale_k; ++i) any |= code(row, block * scale_k + i) & 7u;
    return any == 0;
  }
};

/// What a row's scales have in common. NVFP4 needs to know only whether one of them is NaN.
struct RowStats {
  int highest;  // of blocks that are not zero; 0 where all are
  int lowest;   // of these; for E4M3, of each brick's highest
  int binades;  // over which those of a brick spread
  int has_nan;

  __device__ bool is_wide() const {
    if (has_nan) return false;
    if (is_fp8) return lowest < gemmtune::fp8_lowest(highest) || binades > gemmtune::fp8_most_binades;
    return lowest < gemmtune::mx_lowest(highest);
  }
};

/// The scale of a block that counts, or -1.
__device__ inline int scale_that_counts(const Rows& rows, int row, int block) {
  if (row >= rows.count || block >= rows.blocks() || rows.is_zero(row, block)) return -1;
  return rows.scale(row, block);
}

/// Of four lanes, or of all 32.
template <int lanes>
__device__ inline int largest(int value) {
#pragma unroll
  for (int i = lanes / 2; i > 0; i /= 2) value = max(value, __shfl_xor_sync(0xffffffffu, value, i));
  return value;
}

/// Called by one warp. Each four lanes have the blocks of a brick.
__device__ inline RowStats row_stats(const Rows& rows, int row) {
  RowStats stats = {0, 255, 0, 0};
  const int blocks = row < rows.count ? rows.blocks() : 0;
  for (int first = 0; first < blocks; first += 32) {
    const int block = first + threadIdx.x % 32;
    const int scale = block < blocks ? rows.scale(row, block) : 0;
    stats.has_nan |= is_mx ? scale == 255 : (scale & 127) == 127;
    if (!is_mx) continue;
    const int counted = scale_that_counts(rows, row, block);
    const int of_brick = is_fp8 ? largest<4>(counted) : counted;
    if (counted < 0) continue;
    stats.highest = max(stats.highest, counted);
    stats.lowest = min(stats.lowest, of_brick);
    stats.binades = max(stats.binades, of_brick - counted);
  }
  return {largest<32>(stats.highest), -largest<32>(-stats.lowest), largest<32>(stats.binades),
          largest<32>(stats.has_nan)};
}

/// `of_matrix` is NVFP4's scale of the whole matrix.
__device__ inline float base_of(const RowStats& stats, float of_matrix) {
  if (stats.has_nan) return __uint_as_float(0x7fc00000u);
  if (!is_mx) return of_matrix * gemmtune::nv_base;
  const int exponent = is_fp8 ? gemmtune::fp8_base_exponent(stats.highest) : gemmtune::mx_base_exponent(stats.highest);
  return __uint_as_float((u32)(exponent + 127) << 23);
}

/// Blocks of zeros may have any scale, also one that is out of the row's range.
__device__ inline u32 scale_byte(const Rows& rows, const RowStats& stats, int row, int block) {
  if (row >= rows.count || block >= rows.blocks() || stats.has_nan) return 0;
  const int scale = rows.scale(row, block);
  if (!is_mx) return gemmtune::nv_scale_byte(scale & 127);
  const bool is_out = scale > stats.highest || scale < gemmtune::mx_lowest(stats.highest);
  return is_out ? 0 : gemmtune::mx_scale_byte(scale, stats.highest);
}

/// A code as it stands in a brick: NVFP4's negative scales change its sign, and its zero scales make it zero.
__device__ inline u32 packed_code(const Rows& rows, int row, int column) {
  const u32 code = rows.code(row, column);
  if (is_mx || code == 0) return code;
  const int scale = rows.scale(row, column / scale_k);
  return (scale & 127) == 0 ? 0 : code ^ (scale >> 4 & 8u);
}

/// A brick's scales for bf16, a byte for each block.
__device__ inline void pack_scales(u8* brick, const Rows& rows, const RowStats* stats, int chunk) {
  for (int i = threadIdx.x; i < 64 * row_scales; i += blockDim.x) {
    const int row = i / row_scales;
    const int block = i % row_scales;
    brick[gemmtune::w4_scale_at(row, block)] = scale_byte(rows, stats[row], row, chunk * row_scales + block);
  }
}

/// A brick's shifts and factors for E4M3. Four threads have a row's four blocks, the next four those of the row 8
/// further.
__device__ inline void pack_shifts(u8* brick, const Rows& rows, const RowStats* stats, int chunk) {
  const int row = threadIdx.x / 64 * 16 + threadIdx.x / 8 % 8 + threadIdx.x / 4 % 2 * 8;
  const int block = threadIdx.x % 4;
  const int scale = stats[row].has_nan ? -1 : scale_that_counts(rows, row, chunk * 4 + block);
  const int highest = largest<4>(scale);
  const int shift = scale < 0 ? 0 : max(gemmtune::fp8_shift(scale, highest), 0);
  const int second = __shfl_xor_sync(0xffffffffu, shift, 4);
  if (row % 16 < 8) brick[gemmtune::w4_fp8_shift_at(row, block)] = shift | second << 4;
  if (block > 0) return;
  *(u16*)(brick + gemmtune::w4_fp8_factor_at(row)) =
      highest < 0 ? 0 : gemmtune::fp8_factor(highest, stats[row].highest);
}

/// `wide`: for each 64 rows, how many are too wide. Codes are [batch][N][K/2], scales [batch][scale_bytes]; NVFP4's f32
/// is at `matrix_scale_at` among those bytes.
extern "C" __global__ void pack_w4(const u8* w, const u8* scales, u8* packed, float* base, u32* wide, i64 scale_bytes,
                                   i64 matrix_scale_at, gemmtune::W4PackSizes s) {
  __shared__ RowStats stats[64];
  const int batch = blockIdx.y;
  const int tile = blockIdx.x;
  const i64 brick_row = (i64)batch * s.brick_rows + tile;
  const u8* const of_batch = scales + batch * scale_bytes;
  Rows rows = {w + ((i64)batch * s.n + tile * 64) * (s.k / 2), of_batch, min(64, s.n - tile * 64), s.k};
  rows.scales += (i64)tile * 64 * rows.blocks();
  const float of_matrix = is_mx ? 1.0f : *(const float*)(of_batch + matrix_scale_at);
  for (int i = threadIdx.x / 32; i < 64; i += blockDim.x / 32) {
    const RowStats row = row_stats(rows, i);
    if (threadIdx.x % 32 != 0) continue;
    stats[i] = row;
    base[brick_row * 64 + i] = base_of(row, of_matrix);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 too_wide = 0;
    for (const RowStats& row : stats) too_wide += row.is_wide();
    wide[brick_row] = too_wide;
  }
  for (int chunk = 0; chunk < s.chunks; ++chunk) {
    u8* const brick = packed + (brick_row * s.chunks + chunk) * gemmtune::w4_brick_bytes(scale_k);
    const auto code = [&](int row, int k) { return packed_code(rows, row, chunk * gemmtune::w4_brick_k + k); };
    const int thread = threadIdx.x % 128;
    for (int step = threadIdx.x / 128; step < 8; step += 2)
      *(u32*)(brick + gemmtune::w4_word_at(thread, step)) =
          is_fp8 ? gemmtune::w4_fp8_pack(thread, step, code) : gemmtune::w4_pack(thread, step, code);
    if (is_fp8)
      pack_shifts(brick, rows, stats, chunk);
    else
      pack_scales(brick, rows, stats, chunk);
  }
}
