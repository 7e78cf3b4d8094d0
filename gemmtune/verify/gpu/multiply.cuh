// Computes the reference in double, by multiplying panels of floats that decode.cuh makes.
#pragma once

#include <cstdint>

#include "gemmtune/verify/gpu/kernel_arguments.h"

using namespace gemmtune;

constexpr int tile = 64;        // rows and columns that a thread block computes
constexpr int tile_depth = 16;  // elements along K in shared memory at once
constexpr int padded = tile + 2;

/// What a thread loads of the next tile: two times four neighbouring elements along K.
struct Fetched {
  float4 parts[2];
};

__device__ Fetched fetch(const float* from, std::int64_t first, std::int64_t rows, std::int64_t depth,
                         std::int64_t start) {
  Fetched fetched;
  for (int i = 0; i < 2; ++i) {
    const int index = threadIdx.x + i * 128;
    const std::int64_t row = first + index / 4;
    const auto* source = reinterpret_cast<const float4*>(from + row * depth + start + index % 4 * 4);
    fetched.parts[i] = row < rows ? *source : float4{0, 0, 0, 0};
  }
  return fetched;
}

__device__ void keep(const Fetched& fetched, double (*kept)[padded]) {
  for (int i = 0; i < 2; ++i) {
    const int index = threadIdx.x + i * 128;
    const float4& part = fetched.parts[i];
    kept[index % 4 * 4 + 0][index / 4] = part.x;
    kept[index % 4 * 4 + 1][index / 4] = part.y;
    kept[index % 4 * 4 + 2][index / 4] = part.z;
    kept[index % 4 * 4 + 3][index / 4] = part.w;
  }
}

/// Each of the 128 threads computes 8 rows by 4 columns: two neighbouring columns in each half of the tile's 64.
extern "C" __global__ void __launch_bounds__(128) multiply(PanelProduct p) {
  __shared__ __align__(16) double a[tile_depth][padded];
  __shared__ __align__(16) double w[tile_depth][padded];
  const std::int64_t first_row = blockIdx.y * static_cast<std::int64_t>(tile);
  const std::int64_t first_column = blockIdx.x * static_cast<std::int64_t>(tile);
  const int top = threadIdx.x / 16 * 8;
  const int left = threadIdx.x % 16 * 2;
  double sums[8][4] = {};
  Fetched next_a = fetch(p.a, first_row, p.rows, p.depth, 0);
  Fetched next_w = fetch(p.w, first_column, p.columns, p.depth, 0);
  for (std::int64_t start = 0; start < p.depth; start += tile_depth) {
    __syncthreads();
    keep(next_a, a);
    keep(next_w, w);
    __syncthreads();
    if (start + tile_depth < p.depth) {
      next_a = fetch(p.a, first_row, p.rows, p.depth, start + tile_depth);
      next_w = fetch(p.w, first_column, p.columns, p.depth, start + tile_depth);
    }
#pragma unroll
    for (int k = 0; k < tile_depth; ++k) {
      const auto near = *reinterpret_cast<const double2*>(&w[k][left]);
      const auto far = *reinterpret_cast<const double2*>(&w[k][left + 32]);
#pragma unroll
      for (int i = 0; i < 8; i += 2) {
        const auto pair = *reinterpret_cast<const double2*>(&a[k][top + i]);
        const double both[2] = {pair.x, pair.y};
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          sums[i + j][0] = fma(both[j], near.x, sums[i + j][0]);
          sums[i + j][1] = fma(both[j], near.y, sums[i + j][1]);
          sums[i + j][2] = fma(both[j], far.x, sums[i + j][2]);
          sums[i + j][3] = fma(both[j], far.y, sums[i + j][3]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::int64_t row = first_row + top + i;
      const std::int64_t column = first_column + left + j % 2 + j / 2 * 32;
      if (row >= p.rows || column >= p.columns) continue;
      const double bias = p.bias != nullptr ? p.bias[column] : 0.0;
      p.values[row * p.values_stride + column] = p.bias != nullptr ? sums[i][j] + bias : sums[i][j];
    }
}
