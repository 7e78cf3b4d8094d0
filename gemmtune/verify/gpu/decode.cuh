// Decodes stored rows of one element type to floats, from which multiply.cuh computes the reference.
#pragma once

#include <cstdint>

#include "gemmtune/gemm/e8m0.h"
#include "gemmtune/gemm/fp8_in_call.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/gpu/stored.cuh"
#include "gemmtune/verify/gpu/team_largest.cuh"

using namespace gemmtune;

__device__ float stored_scale(const OperandShape& shape, const unsigned char* scales, std::int64_t index) {
  if (shape.scales == ScaleKind::none) return 1.0F;
  if (shape.scales == ScaleKind::e8m0) return e8m0_to_float(scales[index]);
  return reinterpret_cast<const float*>(scales)[index];
}

/// Decodes element `part` of the elements that share a Stored.
template <typename C>
__device__ float decode(typename C::Stored stored, int part) {
  if constexpr (elements_in<C> == 1) {
    return C::decode(stored);
  } else {
    return C::decode(static_cast<typename C::Stored>((stored >> (4 * part)) & 15));
  }
}

/// The sum of `value` over the thread block. Only the first thread gets it.
__device__ double block_sum(double value) {
  __shared__ double of_warps[32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffU, value, step);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  value = threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0;
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffU, value, step);
  return value;
}

/// Makes of a row of floats what a call makes of it that quantises to E4M3: code × scale. All threads of the block call
/// it, and warps take groups in turn unless the row is one group. Returns a thread's share of the sum of squares.
__device__ double round_as_call(float* row, std::int64_t k, std::int64_t group) {
  const int team = group < k ? 32 : blockDim.x;
  const int lane = threadIdx.x % team;
  double squares = 0;
  __syncthreads();  // the row is complete
  for (std::int64_t first = threadIdx.x / team * group; first < k; first += blockDim.x / team * group) {
    const std::int64_t end = first + group < k ? first + group : k;
    unsigned largest = 0;
    for (std::int64_t i = first + lane; i < end; i += team) largest = max(largest, magnitude_bits(row[i]));
    const float scale = fp8_scale(team_largest(largest, team));
    for (std::int64_t i = first + lane; i < end; i += team) {
      row[i] = E4M3Codec::decode(fp8_code(row[i], scale)) * scale;
      squares = fma(static_cast<double>(row[i]), static_cast<double>(row[i]), squares);
    }
  }
  return squares;
}

/// Decodes rows to floats, and computes their Euclidean norms. One thread block for each row. `shape` and `from` are
/// those of one batch.
extern "C" __global__ void decode_rows(OperandShape shape, StoredOperand from, RowChoice rows, DecodedRows to) {
  const std::int64_t place = rows.first + blockIdx.x;
  const std::int64_t row = rows.list != nullptr ? rows.list[place] : place;
  const auto* values = reinterpret_cast<const Stored*>(from.values) + row * shape.k / unit;
  float* out = to.values + blockIdx.x * to.stride;
  double squares = 0;
  for (std::int64_t column = threadIdx.x; column < to.stride; column += blockDim.x) {
    float value = 0;
    if (column < shape.k) {
      const std::int64_t scale = row / shape.row_block * shape.scale_cols + column / shape.k_block;
      value = decode<Codec>(values[column / unit], static_cast<int>(column % unit)) *
              stored_scale(shape, from.scales, scale);
    }
    out[column] = value;
    squares = fma(static_cast<double>(value), static_cast<double>(value), squares);
  }
  if (shape.fp8_group > 0) squares = round_as_call(out, shape.k, shape.fp8_group);
  squares = block_sum(squares);
  if (threadIdx.x == 0) to.norms[place] = sqrt(squares);
}
