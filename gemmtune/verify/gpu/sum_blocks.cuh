// The sums of C's rows as they are, and what bias and residual add to them: see verify/row_sums.h. The codec is that of
// C.
#pragma once

#include <cstdint>

#include "gemmtune/verify/gpu/block_total.cuh"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/gpu/stored.cuh"
#include "gemmtune/verify/sum_rules.h"

using namespace gemmtune;

/// The columns of a sum. There is a block of threads to each sum, [batch][M][blocks].
struct SummedColumns {
  std::int64_t row;  // over all batches
  std::int64_t of_batch;
  std::int64_t begin;
  std::int64_t end;
};

__device__ SummedColumns summed_columns(const SummedOutput& p) {
  const std::int64_t row = blockIdx.x / p.blocks;
  const std::int64_t begin = blockIdx.x % p.blocks * p.columns;
  return {row, row / p.m * p.n, begin, begin + p.columns < p.n ? begin + p.columns : p.n};
}

__device__ double element(const unsigned char* stored, std::int64_t index) {
  if (stored == nullptr) return 0;
  return static_cast<double>(Codec::decode(reinterpret_cast<const Stored*>(stored)[index]));
}

extern "C" __global__ void sum_blocks(SummedOutput p, SumRules rules, BlockSum* found) {
  const SummedColumns at = summed_columns(p);
  BlockSum sum{};
  for (std::int64_t n = at.begin + threadIdx.x; n < at.end; n += blockDim.x) {
    const double addend = fabs(element(p.bias, n)) + p.addends[blockIdx.x];
    const Meeting meeting{p.row_norms[at.row], p.column_norms[at.of_batch + n], addend};
    sum.add(rules, element(p.c, at.row * p.n + n), meeting, p.weights[at.of_batch + n]);
  }
  const BlockSum total{over_block<Plus>(sum.sum), over_block<Plus>(sum.squares), over_block<Plus>(sum.apart),
                       over_block<Plus>(sum.wrong)};
  if (threadIdx.x == 0) found[blockIdx.x] = total;
}

/// Adds to each sum what bias and residual (which may be null) add to it, and finds the addends of SummedOutput.
extern "C" __global__ void add_addends(SummedOutput p, const unsigned char* residual, double* sums, double* largest) {
  const SummedColumns at = summed_columns(p);
  double sum = 0;
  double most = 0;
  for (std::int64_t n = at.begin + threadIdx.x; n < at.end; n += blockDim.x) {
    const double of_residual = element(residual, at.row * p.n + n);
    sum = fma(p.weights[at.of_batch + n], element(p.bias, n) + of_residual, sum);
    most = Larger()(most, fabs(of_residual));
  }
  sum = over_block<Plus>(sum);
  most = over_block<Larger>(most);
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] += sum;
  largest[blockIdx.x] = most;
}
