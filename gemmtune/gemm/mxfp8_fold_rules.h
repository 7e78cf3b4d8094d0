// How elements of MXFP8 change their scale (gemm/mxfp8_fold.h). The run-time compilers of GPUs compile this text as
// well, so that host and GPU fold to the same bits.
//
// A base is the exponent of a new scale. It is chosen so that the largest element, in units of the new scale, lies from
// 240 to 448, which is E4M3's largest number. Elements that then fall among E4M3's subnormal numbers are rounded to
// nearest even. All others stay as they are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "gemmtune/gemm/element_codecs.h"

namespace gemmtune {

inline constexpr std::int64_t mxfp8_block = 32;   // elements along K that share a scale
inline constexpr std::int64_t mxfp8_group = 128;  // elements along K that share a scale of A once it is folded

inline constexpr std::uint32_t e8m0_nan = 255;
inline constexpr std::uint32_t e4m3_nan = 127;  // as a magnitude

/// Bases are compared, and the largest one counts. Zeros ask for none; a scale that is NaN is above all.
inline constexpr int no_mxfp8_base = -1000;
inline constexpr int nan_mxfp8_base = 1000;

/// The code of an element without its sign; 0 for NaN, which asks for no base.
constexpr std::uint32_t mxfp8_magnitude(std::uint32_t code) {
  const std::uint32_t magnitude = code & 0x7fU;
  return magnitude == e4m3_nan ? 0 : magnitude;
}

/// The base that elements of one block ask for. `largest` is the largest of their mxfp8_magnitude(), and `e8m0` the
/// byte of their scale.
inline int mxfp8_base(std::uint32_t largest, std::uint32_t e8m0) {
  if (e8m0 == e8m0_nan) return nan_mxfp8_base;
  if (largest == 0) return no_mxfp8_base;
  const int exponent = static_cast<int>(e8m0) - 127;
  // A subnormal number, largest · 2^-9, is brought to 2^8, and so are normal ones but those of 1.875 · 2^x: to 2^7.
  if (largest < 8) return exponent + 31 - std::countl_zero(largest) - 17;
  return exponent + static_cast<int>((largest + 1) >> 3) - 15;
}

/// The new scale. 1 if there is no base, NaN if a scale is.
constexpr float mxfp8_scale(int base) {
  if (base == nan_mxfp8_base) return std::numeric_limits<float>::quiet_NaN();
  if (base == no_mxfp8_base) return 1.0F;
  return std::bit_cast<float>(base < -126 ? 1U << (base + 149) : static_cast<std::uint32_t>(base + 127) << 23);
}

/// What elements of a block are multiplied by to be in units of the new scale: a power of two. Elements that would be
/// rounded to 0 anyway may become larger than they are, but not so large that they would not. Only zeros have a factor
/// that would be above 2^17.
constexpr float mxfp8_factor(std::uint32_t e8m0, int base) {
  constexpr int least = -32;  // 448 · 2^-32 is far below half of the smallest number, 2^-10
  constexpr int most = 17;
  const int exponent = static_cast<int>(e8m0) - 127 - (base == no_mxfp8_base ? 0 : base);
  return std::bit_cast<float>(static_cast<std::uint32_t>(std::min(std::max(exponent, least), most) + 127) << 23);
}

/// The magnitude of an element that is no NaN, in units of the new scale, before it is rounded. An E4M3 code and a
/// float's bits mean the same but for the bias of the exponent.
constexpr float mxfp8_rescaled(std::uint32_t code, float factor) {
  return std::bit_cast<float>((code & 0x7fU) << 20) * 0x1p120F * factor;
}

/// The code of the folded element. NaN stays what it is.
constexpr std::uint32_t mxfp8_folded(std::uint32_t code, float factor) {
  if ((code & 0x7fU) == e4m3_nan) return code;
  return (code & 0x80U) | Minifloat<3, 7>::nearest(std::bit_cast<std::uint32_t>(mxfp8_rescaled(code, factor)));
}

/// What folding changed of a row of weights.
struct Mxfp8RowChange {
  float error{};            // ‖folded - real‖ / ‖real‖
  std::uint32_t changed{};  // elements

  bool operator==(const Mxfp8RowChange&) const = default;
};

}  // namespace gemmtune
