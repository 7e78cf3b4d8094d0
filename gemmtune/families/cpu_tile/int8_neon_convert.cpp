// NEON as every 64-bit Arm CPU has it: converts sums to outputs, and MXFP4 codes to int8. All Arm kernels use it, and
// all of them read A as int8.
#include <arm_neon.h>

#include <algorithm>
#include <cstring>

#include "gemmtune/families/cpu_tile/int8_functions.h"

namespace gemmtune::cpu_tile::neon {
namespace {

alignas(16) constexpr std::int8_t doubled_e2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Rounds integers of more than 24 bits to odd, so that only the later rounding to 16 bits affects the result.
inline float32x4_t to_float_odd(int32x4_t value) {
  const float32x4_t nearest = vcvtq_f32_s32(value);
  const int32x4_t bits = vreinterpretq_s32_f32(nearest);
  const int32x4_t rest = vsubq_s32(value, vcvtq_s32_f32(nearest));
  const int32x4_t step = vorrq_s32(vshrq_n_s32(veorq_s32(rest, value), 31), vdupq_n_s32(1));
  const uint32x4_t odd = vtstq_s32(bits, vdupq_n_s32(1));
  const int32x4_t moves = vreinterpretq_s32_u32(vbicq_u32(vtstq_s32(rest, rest), odd));
  return vreinterpretq_f32_s32(vaddq_s32(bits, vandq_s32(step, moves)));
}

inline uint16x4_t to_bf16(float32x4_t value) {
  const uint32x4_t bits = vreinterpretq_u32_f32(value);
  const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
  const uint32x4_t rounded = vshrq_n_u32(vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff))), 16);
  return vmovn_u32(vbslq_u32(vceqq_f32(value, value), rounded, vdupq_n_u32(0x7fc0)));
}

inline uint16x4_t to_16_bits(float32x4_t value, DType type) {
  return type == DType::bf16 ? to_bf16(value) : vreinterpret_u16_f16(vcvt_f16_f32(value));
}

/// Loads four values of a type, `count` of which exist.
inline float32x4_t load_values(const std::byte* from, DType type, std::int64_t count) {
  alignas(16) std::byte whole[16] = {};
  std::memcpy(whole, from, static_cast<std::size_t>(count) * (type == DType::f32 ? 4 : 2));
  if (type == DType::f32) return vld1q_f32(reinterpret_cast<const float*>(whole));
  const uint16x4_t half = vld1_u16(reinterpret_cast<const std::uint16_t*>(whole));
  if (type == DType::f16) return vcvt_f32_f16(vreinterpret_f16_u16(half));
  return vreinterpretq_f32_u32(vshll_n_u16(half, 16));
}

inline void store_values(float32x4_t value, std::byte* to, DType type, std::int64_t count) {
  alignas(16) std::byte whole[16];
  if (type == DType::f32) {
    vst1q_f32(reinterpret_cast<float*>(whole), value);
  } else {
    vst1_u16(reinterpret_cast<std::uint16_t*>(whole), to_16_bits(value, type));
  }
  std::memcpy(to, whole, static_cast<std::size_t>(count) * (type == DType::f32 ? 4 : 2));
}

/// Finishes columns [c, c + count) of row r. Sums, corrections and scales of whole tiles are there.
inline void finish_four(const FinishJob& job, std::int64_t r, std::int64_t c, std::int64_t count) {
  const std::int64_t size = job.type == DType::f32 ? 4 : 2;
  int32x4_t sum = vld1q_s32(job.acc + r * job.acc_stride + c);
  if (job.correction != nullptr) sum = vsubq_s32(sum, vld1q_s32(job.correction + c));
  float32x4_t value = job.type == DType::f32 ? vcvtq_f32_s32(sum) : to_float_odd(sum);
  value = vmulq_f32(vmulq_n_f32(value, job.row_scale[r]), vld1q_f32(job.col_scale + c));
  if (job.bias != nullptr) value = vaddq_f32(value, load_values(job.bias + c * size, job.type, count));
  store_values(value, job.out + (r * job.out_stride + c) * size, job.type, count);
}

inline void store16(int8x16_t values, std::byte* out) { vst1q_s8(reinterpret_cast<std::int8_t*>(out), values); }

/// Expands 16 bytes of codes to 32 values.
inline void expand_block(uint8x16_t codes, int shift, std::byte* out) {
  const int8x16_t table = vshlq_s8(vld1q_s8(doubled_e2m1), vdupq_n_s8(static_cast<std::int8_t>(shift)));
  const int8x16_t even = vqtbl1q_s8(table, vandq_u8(codes, vdupq_n_u8(15)));
  const int8x16_t odd = vqtbl1q_s8(table, vshrq_n_u8(codes, 4));
  store16(vzip1q_s8(even, odd), out);
  store16(vzip2q_s8(even, odd), out + 16);
}

/// The codes of block b of a row. Those beyond the row's end are zero.
inline uint8x16_t load_codes(const ExpandRowJob& job, std::int64_t b) {
  const std::int64_t left = job.k / 2 - b * 16;
  if (left >= 16) return vld1q_u8(job.codes + b * 16);
  alignas(16) std::uint8_t rest[16] = {};
  if (left > 0) std::memcpy(rest, job.codes + b * 16, static_cast<std::size_t>(left));
  return vld1q_u8(rest);
}

inline int shift_of(int scale, int base) { return std::clamp(scale - base, 0, 3); }

/// The shifts of four columns, for each of four bytes.
inline int8x16_t spread_shifts(uint8x16_t shifts, int first_column) {
  alignas(16) static constexpr std::uint8_t columns[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  const uint8x16_t from = vaddq_u8(vld1q_u8(columns), vdupq_n_u8(static_cast<std::uint8_t>(first_column)));
  return vreinterpretq_s8_u8(vqtbl1q_u8(shifts, from));
}

/// Expands four groups of 8 along K for four columns, which are one scale block.
inline void expand_columns(const std::uint8_t* nibbles, int8x16_t shifts, std::byte* out) {
  const int8x16_t table = vld1q_s8(doubled_e2m1);
  for (int g = 0; g < 4; ++g) {
    const uint8x16_t both = vld1q_u8(nibbles + g * 64);
    store16(vshlq_s8(vqtbl1q_s8(table, vandq_u8(both, vdupq_n_u8(15))), shifts), out + g * 128);
    store16(vshlq_s8(vqtbl1q_s8(table, vshrq_n_u8(both, 4)), shifts), out + g * 128 + 64);
  }
}

/// Two sums for each of two columns: of the products with the first and with the last two of each four along K.
inline int32x4_t add_products(int32x4_t sums, int8x8_t columns, int8x8_t row) {
  return vpadalq_s16(sums, vmull_s8(columns, row));
}

}  // namespace

void finish(const FinishJob& job) {
  for (std::int64_t r = 0; r < job.rows; ++r) {
    std::int64_t c = 0;
    for (; c + 4 <= job.cols; c += 4) finish_four(job, r, c, 4);
    if (c < job.cols) finish_four(job, r, c, job.cols - c);
  }
}

void expand_row(const ExpandRowJob& job) {
  const std::int64_t blocks = (job.k + scale_block - 1) / scale_block;
  for (std::int64_t b = 0; b < (blocks + 1) / 2 * 2; ++b) {
    const int shift = b < blocks ? shift_of(job.scales[b], job.shift_base) : 0;
    expand_block(load_codes(job, b), shift, job.out + b / 2 * job.out_stride + b % 2 * scale_block);
  }
}

void expand_panel(const ExpandPanelJob& job) {
  const uint8x16_t base = vld1q_u8(job.shift_base);
  for (std::int64_t b = 0; b < job.k_steps * 2; ++b) {
    const uint8x16_t shifts = vminq_u8(vqsubq_u8(vld1q_u8(job.scales + b * panel_columns), base), vdupq_n_u8(3));
    for (int c = 0; c < panel_columns; c += 4) {
      expand_columns(job.nibbles + b * 256 + c * 4, spread_shifts(shifts, c), job.out + b * 512 + c * 4);
    }
  }
}

void block_dot(const BlockDotJob& job) {
  for (int c = 0; c < panel_columns; c += 4) {
    int32x4_t low = vdupq_n_s32(0), high = low;
    for (int g = 0; g < scale_block / 4; ++g) {
      std::int32_t four{};
      std::memcpy(&four, job.a + 4 * g, sizeof four);
      const int8x8_t row = vreinterpret_s8_s32(vdup_n_s32(four));
      const int8x16_t columns = vld1q_s8(reinterpret_cast<const std::int8_t*>(job.w) + g * 64 + c * 4);
      low = add_products(low, vget_low_s8(columns), row);
      high = add_products(high, vget_high_s8(columns), row);
    }
    vst1q_s32(job.dots + c, vpaddq_s32(low, high));
  }
}

}  // namespace gemmtune::cpu_tile::neon
