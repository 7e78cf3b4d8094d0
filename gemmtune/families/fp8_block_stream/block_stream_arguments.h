// What the host gives to the kernels in block_stream.cu and block_stream_pack.cu. Shared by the host and the run-time
// compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

struct BlockStreamArguments {
  const float* a_scale{};         // [batch][M][K/128]
  const float* w_scale{};         // [batch][N/128, rounded up][K/128], or [batch][N] with STREAM_W_ROWS
  const unsigned char* bricks{};  // packed weights, or null
  const unsigned char* bias{};    // of C's type
  unsigned char* c{};
  std::int32_t m{};
  std::int32_t n{};
  std::int32_t chunks{};  // of 128 along K
  std::int32_t batch{};
  std::int32_t row_clusters{};  // clusters along N
};

/// Packed weights are bricks of 64 rows × 128 of K, [batch][N/64, rounded up][K/128], in the order in which wgmma reads
/// them: the 128-byte swizzle of kernels/wgmma_descriptor.cuh. Rows past N are zeros.
constexpr std::int32_t block_brick_rows = 64;
constexpr std::int32_t block_brick_bytes = 64 * 128;

/// Registers of a thread that copies, once those that multiply have taken the rest.
constexpr std::int32_t block_stream_few_registers = 40;

/// Sums of a block that other warpgroups send have memory of their own up to so many bytes. More take that of the
/// rings.
constexpr std::int32_t block_stream_most_extra_bytes = 32 << 10;

}  // namespace gemmtune
