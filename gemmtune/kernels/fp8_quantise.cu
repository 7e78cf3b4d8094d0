// Quantises the activations of a call to E4M3: see kernels/fp8_quantiser.h. gemm/fp8_in_call.h has the rule. Compiled
// once for each FROM, the codec of the floats.
//
// A quotient takes six instructions instead of a division, and the hardware rounds two at once. Groups with NaN, with
// infinity, or with a scale near the ends of its range take the rule's own divisions.

#include <cstdint>

#include "gemmtune/gemm/fp8_in_call.h"
#include "gemmtune/kernels/fp8_quantise_arguments.h"
#include "gemmtune/kernels/pdl.cuh"

using namespace gemmtune;

constexpr int threads = 256;
constexpr int unit = fp8_quantise_unit;
constexpr int element_bytes = sizeof(FROM::Stored);
constexpr int unit_words = unit * element_bytes / 4;
constexpr int group_threads = fp8_in_call_length / unit;
constexpr unsigned all_lanes = 0xffffffffU;

__device__ unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

/// Floats as they are stored.
struct Unit {
  unsigned words[unit_words];

  __device__ float operator[](int i) const {
    if constexpr (element_bytes == 4)
      return std::bit_cast<float>(words[i]);
    else
      return FROM::decode(static_cast<FROM::Stored>(words[i / 2] >> (i % 2 * 16)));
  }

  __device__ unsigned largest() const {
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < unit; ++i) bits = larger(bits, magnitude_bits((*this)[i]));
    return bits;
  }
};

__device__ Unit unit_at(const unsigned char* from, std::int64_t number) {
  Unit found;
#pragma unroll
  for (int i = 0; i < unit_words / 4; ++i) {
    const uint4 four = reinterpret_cast<const uint4*>(from)[number * (unit_words / 4) + i];
    found.words[4 * i] = four.x;
    found.words[4 * i + 1] = four.y;
    found.words[4 * i + 2] = four.z;
    found.words[4 * i + 3] = four.w;
  }
  return found;
}

/// Two codes; the first is in the low byte. Neither number is NaN.
__device__ unsigned two_codes(float first, float second) {
  unsigned short codes;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(second), "f"(first));
  return codes;
}

/// The scale of a group, and how its values are divided by it.
struct Divisor {
  float scale;
  float reciprocal;
  bool is_usual;

  __device__ explicit Divisor(unsigned largest)
      : scale(fp8_scale(largest)), reciprocal(1.0F / scale), is_usual(has_fp8_reciprocal(scale)) {}

  __device__ unsigned codes(float first, float second) const {
    if (!is_usual) return fp8_code(first, scale) | static_cast<unsigned>(fp8_code(second, scale)) << 8;
    const auto fused = [](float x, float y, float z) { return __fmaf_rn(x, y, z); };
    return two_codes(fp8_quotient(first, scale, reciprocal, fused), fp8_quotient(second, scale, reciprocal, fused));
  }

  __device__ void store(const Unit& from, unsigned char* to) const {
    *reinterpret_cast<uint2*>(to) = {codes(from[0], from[1]) | codes(from[2], from[3]) << 16,
                                     codes(from[4], from[5]) | codes(from[6], from[7]) << 16};
  }
};

/// Sixteen threads have the 128 elements of a group. K is a multiple of 128, so that all of them are inside or outside.
extern "C" __global__ void __launch_bounds__(threads) fp8_quantise_groups(Fp8QuantiseArguments at) {
  pdl_launch_dependents();
  pdl_wait();
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const bool exists = number < at.rows * at.units_of_row;
  const Unit values = exists ? unit_at(at.from, number) : Unit{};
  unsigned largest = values.largest();
#pragma unroll
  for (int step = 1; step < group_threads; step *= 2)
    largest = larger(largest, __shfl_xor_sync(all_lanes, largest, step));
  if (!exists) return;
  const Divisor divisor(largest);
  divisor.store(values, at.values + number * unit);
  if (number % group_threads == 0) at.scales[number / group_threads] = divisor.scale;
}

// ---- rows

/// Units of a row that a thread keeps in registers: those of up to 16384 elements of 16 bits. It reads further
/// ones twice.
constexpr int kept = 8 * 2 / element_bytes;

__device__ unsigned largest_of_block(unsigned bits) {
  __shared__ unsigned of_warps[threads / 32];
  bits = __reduce_max_sync(all_lanes, bits);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = bits;
  __syncthreads();
#pragma unroll
  for (int warp = 0; warp < threads / 32; ++warp) bits = larger(bits, of_warps[warp]);
  return bits;
}

/// A block has a row.
extern "C" __global__ void __launch_bounds__(threads) fp8_quantise_rows(Fp8QuantiseArguments at) {
  pdl_launch_dependents();
  pdl_wait();
  const std::int64_t row = blockIdx.x;
  const std::int64_t units = at.units_of_row;
  const unsigned char* const from = at.from + row * units * (unit * element_bytes);
  unsigned char* const to = at.values + row * units * unit;
  Unit first[kept];
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const std::int64_t number = threadIdx.x + i * threads;
    first[i] = number < units ? unit_at(from, number) : Unit{};
  }
  unsigned largest = 0;
#pragma unroll
  for (int i = 0; i < kept; ++i) largest = larger(largest, first[i].largest());
  constexpr std::int64_t further = kept * threads;
  for (std::int64_t i = further + threadIdx.x; i < units; i += threads)
    largest = larger(largest, unit_at(from, i).largest());
  const Divisor divisor(largest_of_block(largest));
#pragma unroll
  for (int i = 0; i < kept; ++i)
    if (threadIdx.x + i * threads < units) divisor.store(first[i], to + (threadIdx.x + i * threads) * unit);
  for (std::int64_t i = further + threadIdx.x; i < units; i += threads) divisor.store(unit_at(from, i), to + i * unit);
  if (threadIdx.x == 0) at.scales[row] = divisor.scale;
}
