// How a call quantises floats to int8 (Scaling::q8_in_call): in blocks of 32 along K, with one f32 scale for each. The
// last block of a row may be shorter. Kernels must produce the same scales and codes bit for bit.
//
// The rule is that of int8 with f32 scales in gemm/quantise.h:
//   scale = amax / 127, or 1 if that is 0          amax: the largest magnitude of the block
//   code  = value / scale, rounded to nearest even and limited to ±127
// Both divisions are rounded to f32. A block with a NaN or an infinity counts as NaN as a whole, so its scale is NaN.
// GGUF's Q8_0 is the same but for the scale, which it stores as f16: that loses 2^-11 of each value, and values
// above 8.3e6 and below 7.6e-6 have no f16 scale.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "gemmtune/gemm/element_codecs.h"

namespace gemmtune {

inline constexpr std::int64_t q8_length = 32;

struct Q8Block {
  float scale{};
  std::array<std::int8_t, q8_length> codes{};
};

/// The scale for the largest magnitude of a block, given as the bits of a float: these compare as the magnitudes do,
/// and NaN is above all.
inline float q8_scale(std::uint32_t amax_bits) {
  if (amax_bits >= float_infinity) return std::numeric_limits<float>::quiet_NaN();
  const float scale = std::bit_cast<float>(amax_bits) / I8Codec::largest;
  return scale == 0.0F ? 1.0F : scale;
}

/// `values` are one block: at most q8_length.
inline Q8Block q8_block(std::span<const float> values) {
  std::uint32_t amax = 0;
  for (const float value : values) amax = std::max(amax, magnitude_bits(value));
  Q8Block block{.scale = q8_scale(amax)};
  for (std::size_t i = 0; i < values.size(); ++i) block.codes[i] = I8Codec::encode(values[i] / block.scale);
  return block;
}

}  // namespace gemmtune
