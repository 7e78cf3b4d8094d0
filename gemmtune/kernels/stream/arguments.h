// What the host gives to kernels that stream W through shared memory (stream/block.cuh), and what both must agree on.
// Shared by the host and the run-time compiler.
#pragma once

#include <cstdint>

namespace gemmtune {

struct StreamArguments {
  const unsigned char* bricks{};  // packed weights, or null
  const unsigned char* bias{};    // of C's type
  unsigned char* c{};
  std::int32_t m{};
  std::int32_t n{};
  std::int32_t chunks{};  // of 128 bytes along K
  std::int32_t batch{};
  std::int32_t row_clusters{};  // clusters along N
};

/// Bytes along K that a step of the kernels takes of each row: one row of the 128-byte swizzle.
constexpr std::int32_t stream_chunk_bytes = 128;

/// Packed weights are bricks of 64 rows × 128 bytes of K, [batch][N/64, rounded up][chunks], in the order in which
/// wgmma reads them: the 128-byte swizzle of kernels/wgmma_descriptor.cuh. What is past N or K is zero.
constexpr std::int32_t stream_brick_rows = 64;
constexpr std::int32_t stream_brick_bytes = stream_brick_rows * stream_chunk_bytes;

/// Registers of a thread that copies, once those that multiply have taken the rest.
constexpr std::int32_t stream_few_registers = 40;

/// Sums of a block that other warpgroups send have memory of their own up to so many bytes. More take that of the
/// rings.
constexpr std::int32_t stream_most_extra_bytes = 32 << 10;

}  // namespace gemmtune
