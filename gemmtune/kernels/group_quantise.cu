// Quantises groups of elements that share a scale: see kernels/group_quantise.h. Compiled once for each FROM (the codec
// of the input), TO (the codec of the output), IS_E2M1, IS_E8M0 and GROUP_THREADS (32 or 256 threads work on a group).
//
// The host's quantiser (gemm/quantise.cpp) does the same arithmetic in the same order for each element, so that the
// bits are equal: the largest magnitude of a group does not depend on an order.

#include <cstdint>

#include "gemmtune/gemm/e8m0.h"
#include "gemmtune/gemm/element_codecs.h"
#include "gemmtune/kernels/group_quantise_arguments.h"

using namespace gemmtune;

constexpr int block_threads = 256;
constexpr int groups_of_a_block = block_threads / GROUP_THREADS;
constexpr unsigned all_lanes = 0xffffffffU;

__device__ std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }

/// The largest of the group's threads. All threads of the block call it.
__device__ std::uint32_t largest_of_group(std::uint32_t mine) {
  for (int step = 16; step > 0; step /= 2) mine = larger(mine, __shfl_xor_sync(all_lanes, mine, step));
#if GROUP_THREADS > 32
  __shared__ std::uint32_t of_warps[block_threads / 32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  for (int warp = 0; warp < block_threads / 32; ++warp) mine = larger(mine, of_warps[warp]);
#endif
  return mine;
}

/// Writes the group's scale. Returns what its values are divided by.
__device__ float store_scale(std::uint32_t amax_bits, unsigned char* scales, std::int64_t group) {
  const float amax = std::bit_cast<float>(amax_bits);
#if IS_E8M0
  const std::uint8_t byte = IS_E2M1 ? e8m0_from_amax(amax, E8M0Mode::even) : e8m0_for_e4m3(amax);
  scales[group] = byte;
  return amax_bits == 0 ? 1.0F : e8m0_to_float(byte);
#else
  const float quotient = __fdiv_rn(amax, TO::largest);
  const float scale = quotient == 0.0F ? 1.0F : quotient;
  reinterpret_cast<float*>(scales)[group] = scale;
  return scale;
#endif
}

/// The elements of a group, row by row.
struct Group {
  const FROM::Stored* from;
  std::int64_t first_row;
  std::int64_t first_column;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t leading_dimension;

  __device__ float at(std::int64_t row, std::int64_t column) const {
    return FROM::decode(from[(first_row + row) * leading_dimension + first_column + column]);
  }
};

__device__ Group group_of(const FROM::Stored* from, std::int64_t index, const GroupQuantiseSizes& sizes) {
  const std::int64_t row = index / sizes.groups_of_a_row * sizes.row_block;
  const std::int64_t column = index % sizes.groups_of_a_row * sizes.k_block;
  return {from,
          row,
          column,
          std::min(sizes.row_block, sizes.rows - row),
          std::min(sizes.k_block, sizes.k - column),
          sizes.leading_dimension};
}

__device__ void encode(const Group& group, float divisor, unsigned char* values, std::int64_t k) {
  const int lane = threadIdx.x % GROUP_THREADS;
#if IS_E2M1
  const std::int64_t pairs = group.columns / 2;
  for (std::int64_t i = lane; i < group.rows * pairs; i += GROUP_THREADS) {
    const std::int64_t row = i / pairs, column = i % pairs * 2;
    const unsigned low = TO::encode(__fdiv_rn(group.at(row, column), divisor));
    const unsigned high = TO::encode(__fdiv_rn(group.at(row, column + 1), divisor));
    values[((group.first_row + row) * k + group.first_column + column) / 2] =
        static_cast<unsigned char>(low | high << 4);
  }
#else
  for (std::int64_t i = lane; i < group.rows * group.columns; i += GROUP_THREADS) {
    const std::int64_t row = i / group.columns, column = i % group.columns;
    values[(group.first_row + row) * k + group.first_column + column] =
        static_cast<unsigned char>(TO::encode(__fdiv_rn(group.at(row, column), divisor)));
  }
#endif
}

extern "C" __global__ void group_quantise(const FROM::Stored* from, unsigned char* values, unsigned char* scales,
                                          GroupQuantiseSizes sizes) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * groups_of_a_block + threadIdx.x / GROUP_THREADS;
  if (index >= sizes.groups) return;  // all threads of a group, which are whole warps
  const Group group = group_of(from, index, sizes);
  std::uint32_t largest = 0;
  for (std::int64_t i = threadIdx.x % GROUP_THREADS; i < group.rows * group.columns; i += GROUP_THREADS)
    largest = larger(largest, magnitude_bits(group.at(i / group.columns, i % group.columns)));
  largest = largest_of_group(largest);
#if GROUP_THREADS == 32
  const bool writes = threadIdx.x % 32 == 0;
#else
  const bool writes = threadIdx.x == 0;
#endif
  float divisor = 0;
  if (writes) divisor = store_scale(largest, scales, index);
#if GROUP_THREADS == 32
  divisor = __shfl_sync(all_lanes, divisor, 0);
#else
  __shared__ float shared_divisor;
  if (writes) shared_divisor = divisor;
  __syncthreads();
  divisor = shared_divisor;
#endif
  encode(group, divisor, values, sizes.k);
}
