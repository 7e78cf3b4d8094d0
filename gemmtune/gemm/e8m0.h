// E8M0, the scales of MX blocks: powers of two in one byte each. The run-time compilers of GPUs compile this text as
// well, like gemm/element_codecs.h.
#pragma once

#include <bit>
#include <cstdint>

namespace gemmtune {

/// How an MX block's scale is computed from its largest magnitude. The names are AITER's.
enum class E8M0Mode : std::uint8_t {
  round_down,  // floor(log2(amax / 4))
  round_up,    // ceil(log2(amax / 6))
  even,        // amax rounded to one mantissa bit, then floor(log2) - 2: what AITER's tuner uses
  ceil,        // ceil(log2(amax / 4))
};

/// The value 2^(bits-127): 0 gives 2^-127, and 255 gives NaN.
inline float e8m0_to_float(std::uint8_t bits) {
  if (bits == 0) return 0x1p-127F;
  const std::uint32_t nan = 0x7fc00000U;
  return std::bit_cast<float>(bits == 255 ? nan : static_cast<std::uint32_t>(bits) << 23);
}

/// The unbiased exponent of the scale for a positive finite magnitude, subnormal ones included. Divisions by 4 and 6
/// are exact here: 6 is 1.5 · 4.
inline int e8m0_exponent(std::uint32_t magnitude, E8M0Mode mode) {
  const int shift = magnitude >= 0x800000U ? 0 : std::countl_zero(magnitude) - 8;
  const std::uint32_t fraction = (magnitude << shift) & 0x7fffffU;  // in units of 2^-23, below the leading bit
  const int power = shift == 0 ? static_cast<int>(magnitude >> 23) - 127 : -126 - shift;
  switch (mode) {
    case E8M0Mode::round_down:
      return power - 2;
    case E8M0Mode::round_up:
      return power - 2 + (fraction > 0x400000U ? 1 : 0);
    case E8M0Mode::even:
      return power - 2 + (fraction >= 0x600000U ? 1 : 0);
    case E8M0Mode::ceil:
      return power - 2 + (fraction > 0 ? 1 : 0);
  }
  return 0;
}

/// The scale byte for a block whose largest magnitude is `amax`; 0 for amax = 0, 255 for NaN or infinity.
inline std::uint8_t e8m0_from_amax(float amax, E8M0Mode mode) {
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(amax) & 0x7fffffffU;
  if (magnitude == 0) return 0;
  if (magnitude >= 0x7f800000U) return 255;
  const int biased = e8m0_exponent(magnitude, mode) + 127;
  return static_cast<std::uint8_t>(biased < 0 ? 0 : biased > 254 ? 254 : biased);
}

/// The same for a block of E4M3 (MXFP8): floor(log2(amax)) - 8, whose 8 is the exponent of E4M3's largest number.
/// Source: OCP Microscaling Formats (MX) 1.0, section 6.3. Elements above 448 scales are then saturated.
inline std::uint8_t e8m0_for_e4m3(float amax) {
  constexpr int more_than_e2m1 = 6;  // whose largest exponent is 2
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(amax) & 0x7fffffffU;
  if (magnitude == 0) return 0;
  if (magnitude >= 0x7f800000U) return 255;
  const int biased = e8m0_exponent(magnitude, E8M0Mode::round_down) - more_than_e2m1 + 127;
  return static_cast<std::uint8_t>(biased < 0 ? 0 : biased);
}

/// The same for a block of 128 of E4M3: 2^⌈log₂(amax / 448)⌉, so that no element saturates. Source: DeepGEMM's
/// quantisers for UE8M0 scales, which serve DeepSeek-V3.1.
inline std::uint8_t e8m0_above_e4m3(float amax) {
  constexpr int more_than_e2m1 = 6;
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(amax) & 0x7fffffffU;
  if (magnitude == 0) return 0;
  if (magnitude >= 0x7f800000U) return 255;
  // 448 is 1.75 · 2^8. Mode `even` goes up from 1.75 on, and here it is from the next number on.
  const int biased = e8m0_exponent(magnitude - 1, E8M0Mode::even) - more_than_e2m1 + 127;
  return static_cast<std::uint8_t>(biased < 0 ? 0 : biased);
}

}  // namespace gemmtune
