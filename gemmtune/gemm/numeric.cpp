#include "gemmtune/gemm/numeric.h"

#include "gemmtune/gemm/element_codecs.h"

namespace gemmtune {
float bf16_to_float(std::uint16_t bits) { return Bf16Codec::decode(bits); }
float float_to_tf32(float value) { return Tf32Codec::encode(value); }

std::uint16_t float_to_bf16(float value) { return Bf16Codec::encode(value); }

float f16_to_float(std::uint16_t bits) { return F16Codec::decode(bits); }
std::uint16_t float_to_f16(float value) { return F16Codec::encode(value); }

float e4m3_to_float(std::uint8_t bits) { return E4M3Codec::decode(bits); }
std::uint8_t float_to_e4m3(float value) { return E4M3Codec::encode(value); }

float e4m3fnuz_to_float(std::uint8_t bits) { return E4M3FnuzCodec::decode(bits); }
std::uint8_t float_to_e4m3fnuz(float value) { return E4M3FnuzCodec::encode(value); }

float e2m1_to_float(std::uint8_t code) { return E2M1Codec::decode(code); }
std::uint8_t float_to_e2m1(float value) { return E2M1Codec::encode(value); }

float i4_to_float(std::uint8_t code) { return I4Codec::decode(code); }
std::uint8_t float_to_i4(float value) { return I4Codec::encode(value); }

std::int8_t float_to_i8(float value) { return I8Codec::encode(value); }

}  // namespace gemmtune
