// Arranges weights [batch][N][K] in bricks (stream/arguments.h), in which they reach shared memory by plain bulk copies
// of 8 KB. A thread moves 16 bytes.

#include "gemmtune/kernels/integers.cuh"
#include "gemmtune/kernels/stream/arguments.h"

/// Blocks of 512 threads, one for each brick: x counts chunks of K, y 64 rows, z batches. Rows have row_bytes bytes, a
/// multiple of 16.
extern "C" __global__ void pack_stream(const u8* w, u8* packed, int n, i64 row_bytes) {
  const int row = threadIdx.x / 8;
  const int piece = threadIdx.x % 8;
  const int from_row = blockIdx.y * gemmtune::stream_brick_rows + row;
  const i64 at = (i64)blockIdx.x * gemmtune::stream_chunk_bytes + piece * 16;
  uint4 bytes = {0, 0, 0, 0};
  if (from_row < n && at < row_bytes) bytes = *(const uint4*)(w + ((i64)blockIdx.z * n + from_row) * row_bytes + at);
  const i64 brick = ((i64)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  *(uint4*)(packed + brick * gemmtune::stream_brick_bytes + row * 128 + (piece ^ row % 8) * 16) = bytes;
}
