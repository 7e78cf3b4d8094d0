// The type of C's elements, and rounding float to it. OUT_BYTES is 4 for f32 and 2 for bf16, or for fp16 if OUT_IS_F16.
#pragma once

#if OUT_BYTES == 4

using Out = float;
using Pair = float2;

__device__ __forceinline__ float float_of(Out value) { return value; }
__device__ __forceinline__ Out rounded(float value) { return value; }
__device__ __forceinline__ Pair rounded_pair(float low, float high) { return {low, high}; }

#else

using Out = unsigned short;
using Pair = unsigned;

__device__ __forceinline__ float float_of(Out bits) {
#if OUT_IS_F16
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
#endif
}

__device__ __forceinline__ Out rounded(float value) {
  Out bits;
#if OUT_IS_F16
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#endif
  return bits;
}

/// Two neighbours in a row of C.
__device__ __forceinline__ Pair rounded_pair(float low, float high) {
  Pair pair;
#if OUT_IS_F16
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
#else
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
#endif
  return pair;
}

#endif
