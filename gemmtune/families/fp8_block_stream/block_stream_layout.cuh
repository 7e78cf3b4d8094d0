// Where the scales are in a block's shared memory. Macros, set by block_stream_gemm.cpp: STREAM_BIAS, those of
// output_element.cuh and those of kernels/stream/block.cuh.
#pragma once

#include "gemmtune/families/fp8_block_stream/block_stream_arguments.h"
#include "gemmtune/kernels/stream/rings.cuh"

using Arguments = gemmtune::BlockStreamArguments;

/// The scales of a stage of A: one for each row of A, then one for each 64 rows of W.
constexpr int scales = tokens + 4;
static_assert(bricks <= 4);
static_assert(a_stages * scales * 4 == STREAM_OWN_BYTES);

__device__ inline u32 scale_at(const Shared& shared, int a_stage, int i) {
  return shared.own() + (a_stage * scales + i) * 4;
}
