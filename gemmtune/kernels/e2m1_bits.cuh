// Converting four E2M1 codes at a time to wider types by operations on bits, for several kernels.
#pragma once

#include <limits>

namespace gemmtune {

constexpr unsigned nan_byte = 255;  // of E8M0
constexpr int bias = 127;           // of E8M0, bf16 and float
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Four bytes whose highest bits are the signs of four codes. Their other bits mean nothing.
__device__ unsigned signs_of(unsigned codes) {
  const unsigned twice = __byte_perm(codes, 0, 0x1100);
  return ((twice << 4) & 0x00ff00ffU) | (twice & 0xff00ff00U);
}

/// The products of two pairs of bf16. They are exact, because they have 3 significant bits at most.
__device__ unsigned times(unsigned pair, unsigned factors) {
  unsigned product;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(product) : "r"(pair), "r"(factors));
  return product;
}

__device__ uint2 four_bf16(unsigned factors, unsigned codes) {
  const unsigned places = codes & 0x7777U;
  const unsigned low = __byte_perm(0xc0800000U, 0xc0804000U, places);
  const unsigned high = __byte_perm(0x3f3f3f00U, 0x40404040U, places) | (signs_of(codes) & 0x80808080U);
  return {times(__byte_perm(low, high, 0x5140), factors), times(__byte_perm(low, high, 0x7362), factors)};
}

__device__ unsigned bf16_power(int exponent) {
  const unsigned bits = exponent > -bias ? static_cast<unsigned>(exponent + bias) << 7 : 0x40U;
  return bits | bits << 16;
}

}  // namespace gemmtune
