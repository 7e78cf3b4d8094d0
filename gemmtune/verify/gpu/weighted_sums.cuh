// What the sums of C's rows should be (verify/row_sums.h): the weights' columns are added up with random signs, and the
// rows of A multiplied with the result.
#pragma once

#include <cstdint>

#include "gemmtune/verify/gpu/block_total.cuh"
#include "gemmtune/verify/gpu/kernel_arguments.h"

using namespace gemmtune;

/// A thread to each of `depth`. Columns of weight 0 are not finite, and left out.
extern "C" __global__ void add_weighted(WeightedColumns p) {
  const std::int64_t k = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (k >= p.depth) return;
  double sum = p.sum[k];
  for (std::int64_t i = 0; i < p.count; ++i)
    if (p.weights[i] != 0) sum = fma(p.weights[i], static_cast<double>(p.columns[i * p.depth + k]), sum);
  p.sum[k] = sum;
}

/// A block to each row.
extern "C" __global__ void multiply_vectors(VectorProducts p) {
  const float* row = p.rows + blockIdx.x * p.depth;
  for (std::int64_t i = 0; i < p.vectors_count; ++i) {
    const double* vector = p.vectors + i * p.depth;
    double sum = 0;
    for (std::int64_t k = threadIdx.x; k < p.depth; k += blockDim.x)
      sum = fma(static_cast<double>(row[k]), vector[k], sum);
    sum = over_block<Plus>(sum);
    if (threadIdx.x == 0) p.products[blockIdx.x * p.vectors_count + i] = sum;
  }
}
