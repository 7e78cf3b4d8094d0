// bf16 or f16 to MXFP4: see quantise.h. One compilation for each FROM_BF16 and MODE.
//
// A thread has 8 elements (16 bytes), and four threads have a block. Elements are handled in pairs of f16: a block's
// scale leaves magnitudes below 8, and f16 holds every bit of them that decides their rounding.

#include <bit>
#include <cstdint>

#include "gemmtune/gemm/e8m0.h"

using namespace gemmtune;

constexpr int units_of_a_thread = 4;
constexpr unsigned magnitudes = 0x7fff7fffU;
constexpr unsigned nan_byte = 255;

__device__ unsigned larger(unsigned a, unsigned b) {
  unsigned result;
  asm("max.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

__device__ unsigned smaller(unsigned a, unsigned b) {
  unsigned result;
  asm("min.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

__device__ float low_of(unsigned pair) {
#if FROM_BF16
  return std::bit_cast<float>(pair << 16);
#else
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<unsigned short>(pair)));
  return value;
#endif
}

__device__ float high_of(unsigned pair) {
#if FROM_BF16
  return std::bit_cast<float>(pair & 0xffff0000U);
#else
  return low_of(pair >> 16);
#endif
}

__device__ unsigned sum(unsigned a, unsigned b) {
  unsigned result;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

/// The codes of two magnitudes below 8, one in each half. Near 512, 1024 and 2048, values of f16 are 0.5, 1 and 2
/// apart. Adding these numbers therefore rounds as E2M1 does below 2, below 4 and from 4 on. Of the three codes that
/// result, the smallest is the right one.
__device__ unsigned two_codes(unsigned pair, float factor) {
  unsigned values;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(values) : "f"(high_of(pair) * factor), "f"(low_of(pair) * factor));
  const unsigned halves = sum(values, 0x60006000U) + 0x07fc07fcU;
  const unsigned ones = sum(values, 0x64006400U) + 0x03fe03feU;
  const unsigned twos = sum(values, 0x68006800U);
  return smaller(smaller(smaller(halves, ones), twos) - 0x67fc67fcU, 0x00070007U);
}

/// The two codes with their signs, in the lowest byte.
__device__ unsigned byte_of(unsigned pair, float factor) {
  const unsigned codes = two_codes(pair & magnitudes, factor) | ((pair >> 12) & 0x00080008U);
  return codes | codes >> 12;
}

/// The largest magnitude of a block, over its four threads.
__device__ float block_largest(const uint4& pairs) {
  unsigned largest =
      larger(larger(pairs.x & magnitudes, pairs.y & magnitudes), larger(pairs.z & magnitudes, pairs.w & magnitudes));
  largest = larger(largest, __shfl_xor_sync(0xffffffffU, largest, 1));
  largest = larger(largest, __shfl_xor_sync(0xffffffffU, largest, 2));
  return low_of(max(largest & 0xffffU, largest >> 16));
}

/// 2^-exponent of a scale; 1 where there are only zeros.
__device__ float factor_of(unsigned byte, float amax) {
  if (amax == 0) return 1;
  const int biased = 254 - static_cast<int>(byte);
  return std::bit_cast<float>(biased > 0 ? static_cast<unsigned>(biased) << 23 : 0x400000U);
}

__device__ unsigned eight_codes(const uint4& pairs, unsigned byte, float amax) {
  if (byte == nan_byte) return 0x77777777U;
  const float factor = factor_of(byte, amax);
  const unsigned low = __byte_perm(byte_of(pairs.x, factor), byte_of(pairs.y, factor), 0x0040);
  const unsigned high = __byte_perm(byte_of(pairs.z, factor), byte_of(pairs.w, factor), 0x0040);
  return __byte_perm(low, high, 0x5410);
}

extern "C" __global__ void quantise(const uint4* from, unsigned* values, unsigned char* e8m0, std::int64_t elements) {
  const std::int64_t first = blockIdx.x * static_cast<std::int64_t>(blockDim.x) * units_of_a_thread + threadIdx.x;
  uint4 pairs[units_of_a_thread]{};
#pragma unroll
  for (int i = 0; i < units_of_a_thread; ++i) {
    const std::int64_t unit = first + i * blockDim.x;
    if (unit * 8 < elements) pairs[i] = __ldg(from + unit);
  }
#pragma unroll
  for (int i = 0; i < units_of_a_thread; ++i) {
    const std::int64_t unit = first + i * blockDim.x;
    const float amax = block_largest(pairs[i]);
    if (unit * 8 >= elements) continue;
    const unsigned byte = e8m0_from_amax(amax, E8M0Mode::MODE);
    values[unit] = eight_codes(pairs[i], byte, amax);
    if (unit % 4 == 0) e8m0[unit / 4] = static_cast<unsigned char>(byte);
  }
}
