// What the bits of each format mean, one element at a time, exactly and portably. Rounding is to nearest even, and NaN
// stays NaN. gemm/quantise.h converts whole tensors.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/e8m0.h"  // IWYU pragma: export

namespace gemmtune {

float bf16_to_float(std::uint16_t bits);
std::uint16_t float_to_bf16(float value);

/// The result is a float whose low 13 bits are zero.
float float_to_tf32(float value);

float f16_to_float(std::uint16_t bits);
std::uint16_t float_to_f16(float value);  // overflow gives infinity

/// OCP E4M3 without infinity; 0x7f and 0xff are NaN. Encoding saturates at ±448.
float e4m3_to_float(std::uint8_t bits);
std::uint8_t float_to_e4m3(float value);

/// AMD's E4M3 with bias 8, one zero, 0x80 = NaN. Encoding saturates at ±240.
float e4m3fnuz_to_float(std::uint8_t bits);
std::uint8_t float_to_e4m3fnuz(float value);

/// Codes 0…15 are 0 .5 1 1.5 2 3 4 6 and their negatives. Encoding saturates at ±6 and keeps the sign of zero. NaN
/// becomes +6, because the format has no NaN.
float e2m1_to_float(std::uint8_t code);
std::uint8_t float_to_e2m1(float value);

/// Codes 0…15 are 0…7 and -8…-1. Encoding saturates; NaN becomes 0.
float i4_to_float(std::uint8_t code);
std::uint8_t float_to_i4(float value);

/// int8 from -127 to 127. Encoding saturates; NaN becomes 0.
std::int8_t float_to_i8(float value);

}  // namespace gemmtune
