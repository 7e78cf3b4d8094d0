// Converts one element between its stored form and float. Written for the compiler's vectoriser: no branches, no
// tables, no calls. The results equal those of gemm/numeric.h, whose functions are for single values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#define GEMMTUNE_INLINE [[gnu::always_inline]] inline

namespace gemmtune::onednn {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

GEMMTUNE_INLINE float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
GEMMTUNE_INLINE std::uint32_t to_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// From a stored element.

struct F32 {
  using Stored = float;
  GEMMTUNE_INLINE static float value(float stored) { return stored; }
};

struct BF16 {
  using Stored = std::uint16_t;
  GEMMTUNE_INLINE static float value(std::uint16_t stored) { return from_bits(std::uint32_t{stored} << 16U); }
};

/// The exponent is changed by a multiplication, which is also right for subnormals.
struct F16 {
  using Stored = std::uint16_t;
  GEMMTUNE_INLINE static float value(std::uint16_t stored) {
    const std::uint32_t magnitude = (stored & 0x7fffU) << 13U;
    const std::uint32_t sign = (stored & 0x8000U) << 16U;
    const std::uint32_t moved = to_bits(from_bits(magnitude) * 0x1p112F);
    const std::uint32_t special = magnitude >= 0x0f800000U ? 0x7f800000U : 0U;  // infinities and NaN
    return from_bits(moved | special | sign);
  }
};

struct I8 {
  using Stored = std::int8_t;
  GEMMTUNE_INLINE static float value(std::int8_t stored) { return static_cast<float>(stored); }
};

struct E4M3 {
  using Stored = std::uint8_t;
  GEMMTUNE_INLINE static float value(std::uint8_t stored) {
    const std::uint32_t magnitude = (stored & 0x7fU) << 20U;
    const std::uint32_t sign = (stored & 0x80U) << 24U;
    const float moved = from_bits(to_bits(from_bits(magnitude) * 0x1p120F) | sign);
    return (stored & 0x7fU) == 0x7fU ? nan : moved;
  }
};

struct E4M3Fnuz {
  using Stored = std::uint8_t;
  GEMMTUNE_INLINE static float value(std::uint8_t stored) {
    const std::uint32_t magnitude = (stored & 0x7fU) << 20U;
    const std::uint32_t sign = (stored & 0x80U) << 24U;
    const float moved = from_bits(to_bits(from_bits(magnitude) * 0x1p119F) | sign);
    return stored == 0x80U ? nan : moved;
  }
};

/// Half of 0 1 2 3 4 6 8 12, which is the maximum of three linear functions of the code.
GEMMTUNE_INLINE float e2m1_value(std::int32_t code) {
  const std::int32_t index = code & 7;
  const std::int32_t twice = std::max(index, std::max(2 * index - 4, 4 * index - 16));
  return 0.5F * static_cast<float>((code & 8) != 0 ? -twice : twice);
}

// To a stored element.

struct ToF32 {
  using Stored = float;
  GEMMTUNE_INLINE static float stored(float value) { return value; }
};

struct ToBF16 {
  using Stored = std::uint16_t;
  GEMMTUNE_INLINE static std::uint16_t stored(float value) {
    const std::uint32_t bits = to_bits(value);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
    const std::uint32_t quiet = (bits >> 16U) | 0x40U;
    return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? quiet : rounded);
  }
};

/// Normal results: moves the exponent and rounds half to even. Small results: uses an addition that rounds at the right
/// bit.
struct ToF16 {
  using Stored = std::uint16_t;
  GEMMTUNE_INLINE static std::uint16_t stored(float value) {
    const std::uint32_t bits = to_bits(value);
    const std::uint32_t sign = (bits >> 16U) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13U) & 1U)) >> 13U;
    const std::uint32_t small = to_bits(from_bits(magnitude) + 0.5F) - 0x3f000000U;
    std::uint32_t result = magnitude < 0x38800000U ? small : normal;
    result = magnitude >= 0x477ff000U ? 0x7c00U : result;  // 65520 and above round to infinity
    result = magnitude > 0x7f800000U ? 0x7e00U : result;
    return static_cast<std::uint16_t>(result | sign);
  }
};

}  // namespace gemmtune::onednn
