// NEON: what the kernels for weights in scaled blocks have in common. Only for block_<form>_neon.cpp and
// block_int8_dotprod.cpp.
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstring>

#include "gemmtune/families/cpu_tile/block_templates.h"

namespace gemmtune::cpu_tile {
namespace {

/// Codes of four bits as 2·E2M1, and as int4.
alignas(16) constexpr std::int8_t e2m1_codes[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
alignas(16) constexpr std::int8_t int4_codes[16] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};

inline int8x16_t bytes_at(const std::byte* from) { return vld1q_s8(reinterpret_cast<const std::int8_t*>(from)); }

inline void prefetch(const std::byte* from) { __builtin_prefetch(from + block_prefetch_bytes); }

/// The values of four columns at eight along K: those of 0 to 3, and of 4 to 7.
struct Decoded {
  int8x16_t first;
  int8x16_t last;
};

template <BlockWeights W>
inline Decoded decode(const std::byte* from) {
  const int8x16_t table = vld1q_s8(W == BlockWeights::q4_0 ? int4_codes : e2m1_codes);
  const uint8x16_t codes = vreinterpretq_u8_s8(bytes_at(from));
  return {vqtbl1q_s8(table, vandq_u8(codes, vdupq_n_u8(15))), vqtbl1q_s8(table, vshrq_n_u8(codes, 4))};
}

/// Four bytes as 32-bit words.
inline uint32x4_t words_of_bytes(const std::byte* from) {
  std::uint32_t four{};
  std::memcpy(&four, from, sizeof four);
  return vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
}

/// E8M0: 255 is NaN, and 0 is the only subnormal number.
inline float32x4_t e8m0_scales(const std::byte* from) {
  const uint32x4_t bytes = words_of_bytes(from);
  const uint32x4_t special = vorrq_u32(vceqzq_u32(bytes), vceqq_u32(bytes, vdupq_n_u32(255)));
  const uint32x4_t half_bit = vandq_u32(special, vdupq_n_u32(0x00400000));
  return vreinterpretq_f32_u32(vorrq_u32(vshlq_n_u32(bytes, 23), half_bit));
}

/// E4M3: its bits, without the sign, are those of a float that is 2^120 times smaller.
inline float32x4_t e4m3_scales(const std::byte* from) {
  const uint32x4_t bytes = words_of_bytes(from);
  const uint32x4_t magnitudes = vandq_u32(bytes, vdupq_n_u32(0x7f));
  const uint32x4_t nan = vceqq_u32(magnitudes, vdupq_n_u32(0x7f));
  const float32x4_t value = vmulq_n_f32(vreinterpretq_f32_u32(vshlq_n_u32(magnitudes, 20)), 0x1p120F);
  const uint32x4_t sign = vshlq_n_u32(vsubq_u32(bytes, magnitudes), 24);
  const uint32x4_t bits = vorrq_u32(vreinterpretq_u32_f32(value), sign);
  return vreinterpretq_f32_u32(vorrq_u32(bits, vandq_u32(nan, vdupq_n_u32(0x7fc00000))));
}

/// The scales of four columns for one group of a block, in the units of the decoded integers.
template <BlockWeights W>
inline float32x4_t unit_scales(const std::byte* scales, int group, int column) {
  if constexpr (W == BlockWeights::mxfp4) return vmulq_n_f32(e8m0_scales(scales + column), 0.5F);
  if constexpr (W == BlockWeights::nvfp4) return vmulq_n_f32(e4m3_scales(scales + 16 * group + column), 0.5F);
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(scales + 2 * column))));
}

/// Sums of eight columns.
struct TwoFours {
  float32x4_t of[2];
};

struct NeonSums {
  using Float = TwoFours;
  static constexpr int width = 8;
  static constexpr std::int64_t tallest = 4;  // with more rows g++ 12 spills sums

  static Float zero() { return {{vdupq_n_f32(0), vdupq_n_f32(0)}}; }
  static Float load(const float* from) { return {{vld1q_f32(from), vld1q_f32(from + 4)}}; }
  static void store(float* to, const Float& value) {
    vst1q_f32(to, value.of[0]);
    vst1q_f32(to + 4, value.of[1]);
  }
};

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
