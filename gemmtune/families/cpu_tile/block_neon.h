// Arm NEON: what the kernels for weights in scaled blocks have in common. Only for block_<form>_neon….cpp.
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include <cstring>

#include "gemmtune/families/cpu_tile/block_templates.h"

namespace gemmtune::cpu_tile {
namespace {

/// 2·E2M1 and int4 as signed bytes.
alignas(16) constexpr std::int8_t e2m1_bytes[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
alignas(16) constexpr std::int8_t int4_bytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};

inline const std::uint8_t* unsigned_at(const std::byte* from) { return reinterpret_cast<const std::uint8_t*>(from); }
inline const std::int8_t* signed_at(const std::byte* from) { return reinterpret_cast<const std::int8_t*>(from); }
/// Four bytes as 32-bit words.
inline uint32x4_t words_of_bytes(const std::byte* from) {
  std::uint32_t four;
  std::memcpy(&four, from, 4);
  return vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
}

/// E8M0: 255 is NaN, and 0 is the only subnormal number.
inline float32x4_t e8m0_scales(const std::byte* from) {
  const uint32x4_t bytes = words_of_bytes(from);
  const uint32x4_t next = vandq_u32(vaddq_u32(bytes, vdupq_n_u32(1)), vdupq_n_u32(0xfe));
  const uint32x4_t special = vceqq_u32(next, vdupq_n_u32(0));  // 0 and 255
  return vreinterpretq_f32_u32(vorrq_u32(vshlq_n_u32(bytes, 23), vandq_u32(special, vdupq_n_u32(0x00400000))));
}

/// E4M3: its bits, without the sign, are those of a float that is 2^120 times smaller.
inline float32x4_t e4m3_scales(const std::byte* from) {
  const uint32x4_t bytes = words_of_bytes(from);
  const uint32x4_t magnitudes = vandq_u32(bytes, vdupq_n_u32(0x7f));
  const uint32x4_t nan = vceqq_u32(magnitudes, vdupq_n_u32(0x7f));
  const float32x4_t value = vmulq_n_f32(vreinterpretq_f32_u32(vshlq_n_u32(magnitudes, 20)), 0x1p120F);
  const uint32x4_t sign = vshlq_n_u32(vandq_u32(bytes, vdupq_n_u32(0x80)), 24);
  const uint32x4_t bits = vorrq_u32(vreinterpretq_u32_f32(value), sign);
  return vreinterpretq_f32_u32(vorrq_u32(bits, vandq_u32(nan, vdupq_n_u32(0x7fc00000))));
}

/// The scales of four columns for one group of a block, for decoded integers: those of E2M1 are doubled.
template <BlockWeights W>
inline float32x4_t unit_scales(const BlockAt& at, int group, int first) {
  const int column = at.column + first;
  if constexpr (W == BlockWeights::mxfp4) return vmulq_n_f32(e8m0_scales(at.scales + column), 0.5F);
  if constexpr (W == BlockWeights::nvfp4) return vmulq_n_f32(e4m3_scales(at.scales + 16 * group + column), 0.5F);
  float16x4_t half;
  std::memcpy(&half, at.scales + 2 * column, sizeof half);
  return vcvt_f32_f16(half);
}

/// Eight columns.
struct NeonSums {
  struct Float {
    float32x4_t of[2];
  };
  static constexpr int width = 8;
  static constexpr std::int64_t tallest = 4;

  static Float zero() { return {{vdupq_n_f32(0), vdupq_n_f32(0)}}; }
  static Float load(const float* from) { return {{vld1q_f32(from), vld1q_f32(from + 4)}}; }
  static void store(float* to, Float value) {
    vst1q_f32(to, value.of[0]);
    vst1q_f32(to + 4, value.of[1]);
  }
};

/// Elements [8·g, 8·g + 8) of four columns: of[0] has the first four of each, and of[1] the others.
struct EightOfFour {
  int8x16_t of[2];
};

template <BlockWeights W>
inline EightOfFour decode(const BlockAt& at, int g, int first) {
  if constexpr (has_nibbles(W)) {
    const int8x16_t table = vld1q_s8(W == BlockWeights::q4_0 ? int4_bytes : e2m1_bytes);
    const uint8x16_t codes = vld1q_u8(unsigned_at(at.values + 64 * g + 4 * first));
    return {{vqtbl1q_s8(table, vandq_u8(codes, vdupq_n_u8(15))), vqtbl1q_s8(table, vshrq_n_u8(codes, 4))}};
  } else {
    const std::int8_t* values = signed_at(at.values + 128 * g + 4 * first);
    return {{vld1q_s8(values), vld1q_s8(values + 64)}};
  }
}

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
