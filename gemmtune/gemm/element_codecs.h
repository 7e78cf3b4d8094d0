// The conversions of gemm/numeric.h as inline code. They only do arithmetic on bits, so that the run-time compilers of
// GPUs compile the same text (device/gpu/standard_names.cuh gives them the few names of std that it uses). Not an
// interface for families: they include gemm/numeric.h.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace gemmtune {

inline constexpr std::uint32_t float_sign = 0x80000000U;
inline constexpr std::uint32_t float_infinity = 0x7f800000U;

/// Returns 1 if a magnitude is at least `first`, and 0 otherwise. Both are bits of floats: the bits of magnitudes
/// compare like the magnitudes, with NaN above all. This is arithmetic because compilers turn a comparison into a
/// branch, which random values mispredict.
constexpr std::uint32_t reaches(std::uint32_t magnitude, std::uint32_t first) { return (first - 1U - magnitude) >> 31; }

/// The magnitudes of a binary format of at most 16 bits: how codes and values correspond, without sign, infinity and
/// NaN.
template <int mantissa_bits, int bias>
struct Minifloat {
  /// The code nearest to a magnitude given as a float's bits, with ties to even. Magnitudes that are too large give
  /// codes above the largest one, which the caller must saturate.
  static constexpr std::uint32_t nearest(std::uint32_t magnitude) {
    constexpr int shift = 23 - mantissa_bits;
    constexpr std::uint32_t smallest_normal = static_cast<std::uint32_t>(128 - bias) << 23;
    // In the binade of this power of two, the unit in the last place is the smallest subnormal, so the addition rounds.
    constexpr std::uint32_t magic = static_cast<std::uint32_t>(128 - bias + shift) << 23;
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(magic)) - magic;
    const std::uint32_t rounded = magnitude + ((magnitude >> shift) & 1U) + (1U << (shift - 1)) - 1U;
    const std::uint32_t normal = (rounded >> shift) - (static_cast<std::uint32_t>(127 - bias) << mantissa_bits);
    const std::uint32_t is_normal = 0U - reaches(magnitude, smallest_normal);
    return (normal & is_normal) | (subnormal & ~is_normal);
  }

  static constexpr float value(std::uint32_t code) {
    constexpr float smallest = std::bit_cast<float>(static_cast<std::uint32_t>(128 - bias - mantissa_bits) << 23);
    if (code < (1U << mantissa_bits)) return static_cast<float>(static_cast<std::int32_t>(code)) * smallest;
    return std::bit_cast<float>((code << (23 - mantissa_bits)) + (static_cast<std::uint32_t>(127 - bias) << 23));
  }
};

constexpr std::uint32_t magnitude_bits(float value) { return std::bit_cast<std::uint32_t>(value) & ~float_sign; }
constexpr std::uint32_t sign_bit(float value) { return std::bit_cast<std::uint32_t>(value) >> 31; }
constexpr float with_sign(float magnitude, std::uint32_t negative) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (negative << 31));
}

struct F32Codec {
  using Stored = float;
  static constexpr float largest = std::numeric_limits<float>::max();
  static constexpr float decode(Stored value) { return value; }
  static constexpr Stored encode(float value) { return value; }
};

/// A stored value is a float whose low 13 bits are zero.
struct Tf32Codec {
  using Stored = float;
  static constexpr float largest = 0x1.ffcp127F;
  static constexpr float decode(Stored value) { return value; }
  static constexpr Stored encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = bits + 0xfffU + ((bits >> 13) & 1U);
    const bool nan = magnitude_bits(value) > float_infinity;
    return std::bit_cast<float>((nan ? bits | 0x400000U : rounded) & ~0x1fffU);
  }
};

struct Bf16Codec {
  using Stored = std::uint16_t;
  static constexpr float largest = 0x1.fep127F;
  static constexpr float decode(Stored bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  static constexpr Stored encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
    const bool nan = magnitude_bits(value) > float_infinity;
    return static_cast<Stored>((nan ? bits | 0x400000U : rounded) >> 16);
  }
};

struct F16Codec {
  using Stored = std::uint16_t;
  static constexpr float largest = 65504.0F;
  static constexpr float decode(Stored bits) {
    const std::uint32_t code = bits & 0x7fffU;
    const float magnitude = code < 0x7c00U ? Minifloat<10, 15>::value(code)
                                           : std::bit_cast<float>(float_infinity | ((code & 0x3ffU) << 13));
    return with_sign(magnitude, bits >> 15);
  }
  static constexpr Stored encode(float value) {
    const std::uint32_t magnitude = magnitude_bits(value);
    const std::uint32_t code = magnitude > float_infinity ? 0x7e00U | ((magnitude >> 13) & 0x3ffU)
                                                          : std::min(Minifloat<10, 15>::nearest(magnitude), 0x7c00U);
    return static_cast<Stored>((sign_bit(value) << 15) | code);
  }
};

/// The values of all 256 codes. `decode` gives the value of one code.
template <typename Decode>
constexpr std::array<float, 256> decode_table(Decode decode) {
  std::array<float, 256> table{};
  for (std::uint32_t code = 0; code < 256; ++code) table[code] = decode(code);
  return table;
}

struct E4M3Codec {
  using Stored = std::uint8_t;
  static constexpr float largest = 448.0F;
  static constexpr std::array<float, 256> table = decode_table([](std::uint32_t code) {
    if ((code & 0x7fU) == 0x7fU) return with_sign(std::numeric_limits<float>::quiet_NaN(), code >> 7);
    return with_sign(Minifloat<3, 7>::value(code & 0x7fU), code >> 7);
  });
  static constexpr float decode(Stored code) { return table[code]; }
  static constexpr Stored encode(float value) {
    const std::uint32_t magnitude = magnitude_bits(value);
    const std::uint32_t nan = reaches(magnitude, float_infinity + 1U);
    const std::uint32_t code = std::min(Minifloat<3, 7>::nearest(magnitude), 0x7eU) + nan;
    return static_cast<Stored>((sign_bit(value) << 7) | code);
  }
};

struct E4M3FnuzCodec {
  using Stored = std::uint8_t;
  static constexpr float largest = 240.0F;
  static constexpr std::array<float, 256> table = decode_table([](std::uint32_t code) {
    if (code == 0x80U) return std::numeric_limits<float>::quiet_NaN();
    return with_sign(Minifloat<3, 8>::value(code & 0x7fU), code >> 7);
  });
  static constexpr float decode(Stored code) { return table[code]; }
  static constexpr Stored encode(float value) {
    const std::uint32_t magnitude = magnitude_bits(value);
    if (magnitude > float_infinity) return 0x80U;
    const std::uint32_t code = std::min(Minifloat<3, 8>::nearest(magnitude), 0x7fU);
    return static_cast<Stored>(code == 0 ? 0U : (sign_bit(value) << 7) | code);
  }
};

/// Symmetric int8: at most ±127; NaN becomes 0.
struct I8Codec {
  using Stored = std::int8_t;
  static constexpr float largest = 127.0F;
  static constexpr float decode(Stored value) { return value; }
  static constexpr Stored encode(float value) {
    // The sum's unit in the last place is 1, so the addition rounds to the nearest even integer.
    constexpr float magic = 0x1.8p23F;
    const float clamped = value < -127.0F ? -127.0F : value > 127.0F ? 127.0F : value;
    const std::int32_t rounded = std::bit_cast<std::int32_t>(clamped + magic) - std::bit_cast<std::int32_t>(magic);
    return static_cast<Stored>(magnitude_bits(value) > float_infinity ? 0 : rounded);
  }
};

/// One code of four bits. Two codes make a byte (see DType::e2m1).
struct E2M1Codec {
  using Stored = std::uint8_t;
  static constexpr float largest = 6.0F;
  static constexpr float decode(Stored code) { return with_sign(Minifloat<1, 1>::value(code & 7U), (code >> 3) & 1U); }
  /// The code is the number of entries of first_of_code that the magnitude reaches.
  static constexpr Stored encode(float value) {
    const std::uint32_t magnitude = magnitude_bits(value);
    std::uint32_t code = 0;
    for (const std::uint32_t first : first_of_code) code += reaches(magnitude, first);
    const std::uint32_t number = 1U - reaches(magnitude, float_infinity + 1U);
    return static_cast<Stored>(((sign_bit(value) & number) << 3) | code);
  }

 private:
  /// The smallest magnitudes that round to the codes 1 to 7. A magnitude halfway between two codes rounds to the even
  /// code.
  static constexpr std::array<std::uint32_t, 7> first_of_code{
      magnitude_bits(0.25F) + 1U, magnitude_bits(0.75F), magnitude_bits(1.25F) + 1U, magnitude_bits(1.75F),
      magnitude_bits(2.5F) + 1U,  magnitude_bits(3.5F),  magnitude_bits(5.0F) + 1U};
};

/// One code of four bits in two's complement: from -8 to 7; NaN becomes 0.
struct I4Codec {
  using Stored = std::uint8_t;
  static constexpr float largest = 8.0F;  // of a magnitude: the scale makes the largest element -8
  static constexpr float decode(Stored code) {
    return static_cast<float>(static_cast<std::int32_t>((code & 15U) ^ 8U) - 8);
  }
  static constexpr Stored encode(float value) {
    const float clamped = value > 7.0F ? 7.0F : value < -8.0F ? -8.0F : value;
    return static_cast<Stored>(static_cast<std::uint32_t>(I8Codec::encode(clamped)) & 15U);
  }
};

}  // namespace gemmtune
