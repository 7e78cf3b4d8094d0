#include "gemmtune/gemm/numeric.h"

#include <algorithm>

#include "gemmtune/gemm/codec.h"

namespace gemmtune {
namespace {

/// floor(log2(value)) of a positive finite float, subnormals included, and the mantissa's bits below the leading one.
struct Binary {
  int exponent{};
  std::uint32_t fraction{};  // of 2^23
};

Binary split_binary(float value) {
  const std::uint32_t bits = magnitude_bits(value);
  if (bits >= 0x800000U) return {static_cast<int>(bits >> 23) - 127, bits & 0x7fffffU};
  const int shift = std::countl_zero(bits) - 8;
  return {-126 - shift, (bits << shift) & 0x7fffffU};
}

/// The unbiased exponent of a block's scale. Divisions by 4 and 6 are exact here: 6 is 1.5 · 4.
int scale_exponent(float amax, E8M0Mode mode) {
  const auto [exponent, fraction] = split_binary(amax);
  switch (mode) {
    case E8M0Mode::round_down:
      return exponent - 2;
    case E8M0Mode::round_up:
      return exponent - 2 + (fraction > 0x400000U ? 1 : 0);
    case E8M0Mode::even:
      return exponent - 2 + (fraction >= 0x600000U ? 1 : 0);
    case E8M0Mode::ceil:
      return exponent - 2 + (fraction > 0 ? 1 : 0);
  }
  fail(ErrorCode::internal, "no such E8M0 mode");
}

}  // namespace

float bf16_to_float(std::uint16_t bits) { return Bf16Codec::decode(bits); }
std::uint16_t float_to_bf16(float value) { return Bf16Codec::encode(value); }

float f16_to_float(std::uint16_t bits) { return F16Codec::decode(bits); }
std::uint16_t float_to_f16(float value) { return F16Codec::encode(value); }

float e4m3_to_float(std::uint8_t bits) { return E4M3Codec::decode(bits); }
std::uint8_t float_to_e4m3(float value) { return E4M3Codec::encode(value); }

float e4m3fnuz_to_float(std::uint8_t bits) { return E4M3FnuzCodec::decode(bits); }
std::uint8_t float_to_e4m3fnuz(float value) { return E4M3FnuzCodec::encode(value); }

float e2m1_to_float(std::uint8_t code) { return E2M1Codec::decode(code); }
std::uint8_t float_to_e2m1(float value) { return E2M1Codec::encode(value); }

float e8m0_to_float(std::uint8_t bits) {
  if (bits == 0) return 0x1p-127F;
  if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 23);
}

std::uint8_t e8m0_from_amax(float amax, E8M0Mode mode) {
  const std::uint32_t bits = magnitude_bits(amax);
  if (bits == 0) return 0;
  if (bits >= float_infinity) return 255;
  return static_cast<std::uint8_t>(std::clamp(scale_exponent(amax, mode), -127, 127) + 127);
}

}  // namespace gemmtune
