// Arranges e4m3 weights [batch][N][K] in bricks (block_stream_arguments.h), in which they reach shared memory by plain
// bulk copies of 8 KB. A thread moves 16 bytes.

#include "gemmtune/families/fp8_block_stream/block_stream_arguments.h"
#include "gemmtune/kernels/integers.cuh"

/// Blocks of 512 threads, one for each brick: x counts chunks of K, y 64 rows, z batches.
extern "C" __global__ void pack_block_stream(const u8* w, u8* packed, int n, int chunks) {
  const int row = threadIdx.x / 8;
  const int piece = threadIdx.x % 8;
  const int from_row = blockIdx.y * gemmtune::block_brick_rows + row;
  uint4 bytes = {0, 0, 0, 0};
  if (from_row < n) {
    const i64 at = ((i64)blockIdx.z * n + from_row) * chunks + blockIdx.x;
    bytes = *(const uint4*)(w + at * 128 + piece * 16);
  }
  const i64 brick = ((i64)blockIdx.z * gridDim.y + blockIdx.y) * chunks + blockIdx.x;
  *(uint4*)(packed + brick * gemmtune::block_brick_bytes + row * 128 + (piece ^ row % 8) * 16) = bytes;
}
