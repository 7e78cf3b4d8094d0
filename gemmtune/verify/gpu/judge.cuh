// Compares C with the reference by the rules of verify/closeness.h. Codec is that of C's type.
#pragma once

#include <bit>
#include <cstdint>

#include "gemmtune/verify/closeness.h"
#include "gemmtune/verify/gpu/kernel_arguments.h"
#include "gemmtune/verify/gpu/stored.cuh"

using namespace gemmtune;

template <int bytes>
struct BitsOf {
  using Type = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using Type = std::uint32_t;
};
using Bits = BitsOf<sizeof(Stored)>::Type;

__device__ void add(std::uint64_t* total, unsigned count) {
  for (int step = 16; step > 0; step /= 2) count += __shfl_xor_sync(0xffffffffU, count, step);
  if (threadIdx.x % 32 == 0 && count > 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), count);
}

/// Raises `worst` to the largest `value` of the warp. Doubles that are not negative compare as their bits do, so an
/// integer atomicMax serves.
__device__ void raise(double* worst, double value) {
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xffffffffU, value, step);
    if (other > value) value = other;
  }
  if (threadIdx.x % 32 == 0 && value > 0)
    atomicMax(reinterpret_cast<unsigned long long*>(worst), std::bit_cast<unsigned long long>(value));
}

/// Each blockIdx.x has one row of C, counted over all batches. The blocks along y share its columns. Rows that are not
/// checked are only searched for elements that were not written.
extern "C" __global__ void judge(JudgedOutput p, ClosenessRules rules, Findings* findings) {
  const std::int64_t row = blockIdx.x;
  const std::int64_t batch = row / p.m;
  const std::int64_t place = p.place[row % p.m];
  const std::int64_t checked = batch * p.checked_rows + place;
  const auto* c = reinterpret_cast<const Stored*>(p.c) + row * p.n;
  unsigned unwritten = 0, not_close = 0, out_of_bound = 0;
  double worst_error = 0, worst_share = 0;
  for (std::int64_t column = blockIdx.y * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; column < p.n;
       column += static_cast<std::int64_t>(gridDim.y) * blockDim.x) {
    const Stored stored = c[column];
    const bool poison = p.poison.is(reinterpret_cast<const Bits&>(stored));
    unwritten += poison;
    if (place < 0) continue;
    const double norms = p.row_norms[checked] * p.column_norms[batch * p.n + column];
    const double found = static_cast<double>(Codec::decode(stored));
    const Distance distance = rules.distance(p.values[checked * p.n + column], found, norms);
    not_close += !distance.close;
    out_of_bound += distance.share_of_bound > 1 && !poison;
    if (distance.error > worst_error) worst_error = distance.error;
    if (distance.share_of_bound > worst_share) worst_share = distance.share_of_bound;
  }
  add(&findings->unwritten, unwritten);
  add(&findings->not_close, not_close);
  add(&findings->out_of_bound, out_of_bound);
  raise(&findings->worst_error, worst_error);
  raise(&findings->worst_share, worst_share);
}

/// Adds a residual to the reference `values` of the rows that are checked. The residual is p.c here: [batch, M, N], in
/// the type of C. `rows` lists the checked rows of M. One thread block for each of `rows` in each batch.
extern "C" __global__ void add_residual(JudgedOutput p, const std::int64_t* rows, double* values) {
  const std::int64_t batch = blockIdx.x / p.checked_rows;
  const std::int64_t row = batch * p.m + rows[blockIdx.x % p.checked_rows];
  const auto* residual = reinterpret_cast<const Stored*>(p.c) + row * p.n;
  double* to = values + blockIdx.x * p.n;
  for (std::int64_t column = threadIdx.x; column < p.n; column += blockDim.x)
    to[column] += static_cast<double>(Codec::decode(residual[column]));
}
