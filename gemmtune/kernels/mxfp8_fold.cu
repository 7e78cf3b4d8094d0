// Folds MXFP8: see kernels/mxfp8_folder.h. What becomes of an element is in gemm/mxfp8_fold_rules.h, which the host
// uses as well.
//
// A thread has 16 elements, all of one block of 32.

#include <bit>
#include <cstdint>

#include "gemmtune/gemm/mxfp8_fold_rules.h"
#include "gemmtune/kernels/mxfp8_fold_arguments.h"
#include "gemmtune/kernels/pdl.cuh"

using namespace gemmtune;

constexpr int unit = 16;
constexpr unsigned all_lanes = 0xffffffffU;
constexpr int weight_threads = 256;

struct Unit {
  unsigned words[4];

  __device__ unsigned code(int i) const { return words[i / 4] >> (i % 4 * 8) & 255U; }
};

__device__ Unit unit_at(const unsigned char* values, std::int64_t number) {
  const uint4 four = reinterpret_cast<const uint4*>(values)[number];
  return {{four.x, four.y, four.z, four.w}};
}

__device__ int base_of(const Unit& codes, unsigned e8m0) {
  unsigned largest = 0;
#pragma unroll
  for (int i = 0; i < unit; ++i) largest = std::max(largest, mxfp8_magnitude(codes.code(i)));
  return mxfp8_base(largest, e8m0);
}

__device__ Unit folded(const Unit& codes, float factor) {
  Unit to{};
#pragma unroll
  for (int i = 0; i < unit; ++i) to.words[i / 4] |= mxfp8_folded(codes.code(i), factor) << (i % 4 * 8);
  return to;
}

__device__ void store(unsigned char* at, const Unit& codes) {
  *reinterpret_cast<uint4*>(at) = {codes.words[0], codes.words[1], codes.words[2], codes.words[3]};
}

/// Eight threads have the 128 elements of a group. K is a multiple of 128, so that all eight are inside or outside.
extern "C" __global__ void __launch_bounds__(256) fold_mxfp8_activations(Mxfp8ActivationArguments at) {
  pdl_launch_dependents();
  pdl_wait();
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  const bool exists = number < at.units;
  const Unit codes = exists ? unit_at(at.values, number) : Unit{};
  const unsigned e8m0 = exists ? at.e8m0[number / 2] : 0;
  int base = base_of(codes, e8m0);
#pragma unroll
  for (int step = 1; step < mxfp8_group / unit; step *= 2)
    base = std::max(base, __shfl_xor_sync(all_lanes, base, step));
  if (!exists) return;
  store(at.folded + number * unit, folded(codes, mxfp8_factor(e8m0, base)));
  if (number % (mxfp8_group / unit) == 0) at.scales[number / (mxfp8_group / unit)] = mxfp8_scale(base);
}

// ---- weights

/// What a thread saw of a row, in units of the new scale.
struct Change {
  double error;  // squares
  double real;
  unsigned changed;

  __device__ void add(unsigned code, unsigned to, float factor) {
    if ((code & 0x7fU) == e4m3_nan) return;
    const double value = mxfp8_rescaled(code, factor);
    const double off = value - Minifloat<3, 7>::value(to & 0x7fU);
    error += off * off;
    real += value * value;
    changed += off != 0 ? 1 : 0;
  }

  __device__ void add(const Change& other) {
    error += other.error;
    real += other.real;
    changed += other.changed;
  }
};

__device__ int largest_of_block(int base) {
  __shared__ int of_warps[weight_threads / 32];
  for (int step = 16; step > 0; step /= 2) base = std::max(base, __shfl_xor_sync(all_lanes, base, step));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = base;
  __syncthreads();
  for (int warp = 0; warp < weight_threads / 32; ++warp) base = std::max(base, of_warps[warp]);
  return base;
}

/// For the first thread.
__device__ Change sum_of_block(Change change) {
  __shared__ Change of_warps[weight_threads / 32];
  for (int step = 16; step > 0; step /= 2)
    change.add(Change{__shfl_down_sync(all_lanes, change.error, step), __shfl_down_sync(all_lanes, change.real, step),
                      __shfl_down_sync(all_lanes, change.changed, step)});
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = change;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < weight_threads / 32; ++warp) change.add(of_warps[warp]);
  return change;
}

/// Where a unit of a matrix of the batch is written: row-major, or in bricks of 64 rows × 128 of K, in which the eight
/// units of a row are swizzled as wgmma reads them (128 bytes).
__device__ std::int64_t place_of(const Mxfp8WeightArguments& at, int row, std::int64_t number) {
  if (at.in_bricks == 0) return row * at.k + number * unit;
  const std::int64_t brick = row / 64 * (at.k / 128) + number / 8;
  return brick * (64 * 128) + row % 64 * 128 + (number % 8 ^ row % 8) * unit;
}

/// One block of 256 threads for each stored row: x counts the rows of a matrix, y the matrices.
extern "C" __global__ void __launch_bounds__(weight_threads) fold_mxfp8_weights(Mxfp8WeightArguments at) {
  const int row = blockIdx.x;
  const std::int64_t units = at.k / unit;
  unsigned char* const folded_matrix = at.folded + static_cast<std::int64_t>(blockIdx.y) * at.stored_rows * at.k;
  if (row >= at.n) {  // all threads
    for (std::int64_t i = threadIdx.x; i < units; i += weight_threads) store(folded_matrix + place_of(at, row, i), {});
    return;
  }
  const std::int64_t counted = static_cast<std::int64_t>(blockIdx.y) * at.n + row;
  const int scale_rows = (at.n + at.rows_of_scale - 1) / at.rows_of_scale;
  const std::int64_t scale_row = static_cast<std::int64_t>(blockIdx.y) * scale_rows + row / at.rows_of_scale;
  const unsigned char* const values = at.values + counted * at.k;
  const unsigned char* const e8m0 = at.e8m0 + scale_row * (at.k / mxfp8_block);

  int base = no_mxfp8_base;
  for (std::int64_t i = threadIdx.x; i < units; i += weight_threads)
    base = std::max(base, base_of(unit_at(values, i), e8m0[i / 2]));
  base = largest_of_block(base);
  Change change = {0, 0, 0};
  for (std::int64_t i = threadIdx.x; i < units; i += weight_threads) {
    const Unit codes = unit_at(values, i);
    const float factor = mxfp8_factor(e8m0[i / 2], base);
    const Unit to = folded(codes, factor);
    store(folded_matrix + place_of(at, row, i), to);
    for (int j = 0; j < unit; ++j) change.add(codes.code(j), to.code(j), factor);
  }
  change = sum_of_block(change);
  if (threadIdx.x != 0) return;
  at.scales[counted] = mxfp8_scale(base);
  const bool lost = base != nan_mxfp8_base && change.error > 0;
  at.changes[counted] = {lost ? static_cast<float>(sqrt(change.error / change.real)) : 0.0F,
                         base == nan_mxfp8_base ? 0 : change.changed};
}
