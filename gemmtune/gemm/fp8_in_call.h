// How a call quantises floats to E4M3 (Scaling::fp8_1x128 and fp8_row): with one f32 scale for each 128 of K of a row,
// or one for the row. The last 128 of a row may be fewer. Kernels must produce the same scales and codes bit for bit.
//
// The rule is that of e4m3 with f32 scales in gemm/quantise.h:
//   scale = amax / 448, or 1 if that is 0          amax: the largest magnitude of the group
//   code  = value / scale, rounded to nearest even and limited to ±448
// Both divisions are rounded to f32. A NaN in a group makes its scale NaN. An infinity makes its scale infinite: its
// own code is NaN then, and those of finite values are zeros. So in both cases all values of the group, code × scale,
// are NaN.
#pragma once

#include <bit>
#include <cstdint>

#include "gemmtune/gemm/element_codecs.h"

namespace gemmtune {

inline constexpr std::int64_t fp8_in_call_length = 128;

/// The scale for the largest magnitude of a group, given as the bits of a float: these compare as the magnitudes do,
/// and NaN is above all.
inline float fp8_scale(std::uint32_t amax_bits) {
  const float scale = std::bit_cast<float>(amax_bits) / E4M3Codec::largest;
  return scale == 0.0F ? 1.0F : scale;
}

inline std::uint8_t fp8_code(float value, float scale) { return E4M3Codec::encode(value / scale); }

/// Scales for which fp8_quotient() may stand for a division.
constexpr bool has_fp8_reciprocal(float scale) { return scale >= 0x1p-60F && scale <= 0x1p100F; }

/// A number whose code is that of value / scale, without a division: `reciprocal` is 1 / scale, and |value| is at most
/// 449 times the scale. `fused(x, y, z)` is x · y + z, rounded once. Source: Markstein, "Computation of elementary
/// functions on the IBM RISC System/6000" (1990): after the first correction the quotient is off by less than its last
/// place, and the second one rounds it right. Below 2^-12 it may be off, where all codes are zeros.
template <typename Fused>
constexpr float fp8_quotient(float value, float scale, float reciprocal, Fused fused) {
  float quotient = value * reciprocal;
  quotient = fused(fused(-quotient, scale, value), reciprocal, quotient);
  quotient = fused(fused(-quotient, scale, value), reciprocal, quotient);
  return with_sign(std::bit_cast<float>(magnitude_bits(quotient)), sign_bit(value));
}

}  // namespace gemmtune
