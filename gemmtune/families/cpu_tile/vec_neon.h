// Eight floats in two registers of NEON, which every 64-bit Arm CPU has. With eight, tiles have the shapes of AVX2's,
// and their sums fill the registers. Only for files compiled for 64-bit Arm.
#pragma once

#if defined(__aarch64__)

#include <arm_neon.h>

#include "gemmtune/families/cpu_tile/float_kernels.h"

namespace gemmtune::cpu_tile {
namespace {

struct TwoFours {
  float32x4_t low;
  float32x4_t high;
};

struct VecNeon {
  using Type = TwoFours;

  static constexpr int width = 8;
  static constexpr int registers = 16;  // of eight floats

  static Type zero() { return set1(0); }
  static Type set1(float value) { return both(vdupq_n_f32(value)); }
  static Type broadcast(const float* from) { return both(vld1q_dup_f32(from)); }
  static Type mul(Type a, Type b) { return {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)}; }
  static Type add(Type a, Type b) { return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)}; }
  static Type multiply_add(Type a, Type b, Type c) {
    return {vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
  }
  static Type load(const float* from) { return {vld1q_f32(from), vld1q_f32(from + 4)}; }
  static void store(float* to, Type value) {
    vst1q_f32(to, value.low);
    vst1q_f32(to + 4, value.high);
  }
  static float sum(Type a) { return vaddvq_f32(vaddq_f32(a.low, a.high)); }

  template <Source S>
  static Type load_source(const std::byte* from) {
    if constexpr (S == Source::bf16) return widen_bf16(load128(from));
    if constexpr (S == Source::f16) return widen_f16(load128(from));
    if constexpr (S == Source::e4m3) return mul(widen_f16(e4m3_as_f16(load64(from))), set1(256));
    if constexpr (S == Source::e4m3fnuz) return mul(widen_f16(e4m3fnuz_as_f16(load64(from))), set1(128));
    if constexpr (S == Source::i8) return from_int16(vmovl_s8(load64(from)));
    return load(reinterpret_cast<const float*>(from));
  }

  static void transpose(Type (&r)[width]) {
    float32x4_t low[width];   // columns 0 to 3 of all rows, four of them after the other four
    float32x4_t high[width];  // columns 4 to 7
    for (int i = 0; i < width; ++i) {
      low[i] = r[i].low;
      high[i] = r[i].high;
    }
    for (int i = 0; i < width; i += 4) {
      transpose_four(low + i);
      transpose_four(high + i);
    }
    for (int i = 0; i < 4; ++i) {
      r[i] = {low[i], low[i + 4]};
      r[i + 4] = {high[i], high[i + 4]};
    }
  }

  template <Sink T>
  struct Out {
    static constexpr std::int64_t bytes = T == Sink::f32 ? 4 : 2;

    static Type load(const std::byte* from) {
      if constexpr (T == Sink::f32) return load_source<Source::f32>(from);
      if constexpr (T == Sink::bf16) return load_source<Source::bf16>(from);
      return load_source<Source::f16>(from);
    }
    static void store(std::byte* to, Type value) {
      if constexpr (T == Sink::f32) {
        VecNeon::store(reinterpret_cast<float*>(to), value);
      } else {
        const uint16x8_t rounded = T == Sink::bf16 ? round_bf16(value) : round_f16(value);
        vst1q_u16(reinterpret_cast<std::uint16_t*>(to), rounded);
      }
    }
  };

 private:
  static Type both(float32x4_t four) { return {four, four}; }
  static uint16x8_t load128(const std::byte* from) { return vld1q_u16(reinterpret_cast<const std::uint16_t*>(from)); }
  static int8x8_t load64(const std::byte* from) { return vld1_s8(reinterpret_cast<const std::int8_t*>(from)); }

  static Type widen_bf16(uint16x8_t bits) {
    return {vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(bits), 16)),
            vreinterpretq_f32_u32(vshll_n_u16(vget_high_u16(bits), 16))};
  }

  static Type widen_f16(uint16x8_t bits) {
    const float16x8_t halves = vreinterpretq_f16_u16(bits);
    return {vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves)};
  }

  static Type from_int16(int16x8_t value) {
    return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(value))), vcvtq_f32_s32(vmovl_high_s16(value))};
  }

  /// Moves sign, exponent and fraction to their places in f16, without bias. Bit 14 is a copy of the sign, and cleared.
  static uint16x8_t fp8_in_f16(int8x8_t bytes) {
    return vbicq_u16(vreinterpretq_u16_s16(vshll_n_s8(bytes, 7)), vdupq_n_u16(0x4000));
  }

  /// The value times 2^(7-15). NaN stays NaN.
  static uint16x8_t e4m3_as_f16(int8x8_t bytes) {
    const uint16x8_t moved = fp8_in_f16(bytes);
    return vorrq_u16(moved, vceqq_u16(vandq_u16(moved, vdupq_n_u16(0x7fff)), vdupq_n_u16(0x3f80)));
  }

  /// The same for bias 8, where the only NaN has the code of -0.
  static uint16x8_t e4m3fnuz_as_f16(int8x8_t bytes) {
    const uint16x8_t moved = fp8_in_f16(bytes);
    return vorrq_u16(moved, vceqq_u16(moved, vdupq_n_u16(0x8000)));
  }

  static void transpose_four(float32x4_t* rows) {
    const float32x4_t even01 = vtrn1q_f32(rows[0], rows[1]), odd01 = vtrn2q_f32(rows[0], rows[1]);
    const float32x4_t even23 = vtrn1q_f32(rows[2], rows[3]), odd23 = vtrn2q_f32(rows[2], rows[3]);
    rows[0] = join(vget_low_f32(even01), vget_low_f32(even23));
    rows[1] = join(vget_low_f32(odd01), vget_low_f32(odd23));
    rows[2] = join(vget_high_f32(even01), vget_high_f32(even23));
    rows[3] = join(vget_high_f32(odd01), vget_high_f32(odd23));
  }

  static float32x4_t join(float32x2_t low, float32x2_t high) { return vcombine_f32(low, high); }

  /// Rounds to nearest even. NaN keeps its upper bits and becomes quiet.
  static uint16x4_t round_bf16(float32x4_t value) {
    const uint32x4_t bits = vreinterpretq_u32_f32(value);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
    const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    return vshrn_n_u32(vbslq_u32(vceqq_f32(value, value), rounded, quiet), 16);
  }

  static uint16x8_t round_bf16(Type value) { return vcombine_u16(round_bf16(value.low), round_bf16(value.high)); }

  static uint16x8_t round_f16(Type value) {
    return vreinterpretq_u16_f16(vcombine_f16(vcvt_f16_f32(value.low), vcvt_f16_f32(value.high)));
  }
};

}  // namespace
}  // namespace gemmtune::cpu_tile

#endif
