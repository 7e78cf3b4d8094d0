// FP8 with a scale for each 1×128 of A and each 128×128 of W, for many rows of A, on Hopper. docs/fp8-on-hopper.md
// explains how. The kernel is kernels/wgmma_gemm.cu with its part for block scales.
//
// block_space.h says which tile to choose.
#pragma once

#include <cstdint>
#include <string>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/fp8_block/block_tile.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/wgmma_kernel.h"

namespace gemmtune {

/// How the tiles of C, counted in clusters, are dealt out to a device: `whole` ones first, in full rounds of all
/// clusters, and then those that are divided along K.
struct BlockRounds {
  std::int64_t clusters{};  // that the device holds at once
  std::int64_t tiles{};
  std::int64_t whole{};  // all of them if K is not divided

  std::int64_t divided() const { return tiles - whole; }
};
BlockRounds block_rounds(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors);

/// Steps of 128 along K whose scales are copied at once: 1, 2 or 4. Parts along K begin at multiples of so many steps.
std::int64_t block_scale_steps(const Problem& problem);

/// Why there is no such kernel ("K % 128 != 0"), or "".
std::string why_no_block_gemm(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors);

/// The source of the kernel. Of the sizes, it depends on block_scale_steps() and on whether rows of C are multiples of
/// 16 bytes.
KernelSource block_gemm_source(const Problem& problem, const BlockTile& tile);

/// The tensor core's sums of 128 of K are multiplied by both scales and added in float; parts along K are added in
/// their order. Of MXFP8, the kernel takes folded operands (families/folded_mxfp8.h); W's scales, one for each row,
/// then come last: sums times A's scales alone must be in the range of floats. Throws Error{unsupported} with the
/// reason from why_no_block_gemm(), or with the compiler's log.
WgmmaKernel make_block_gemm(const Problem& problem, const BlockTile& tile, std::int64_t multiprocessors);

}  // namespace gemmtune
