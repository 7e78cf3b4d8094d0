// FP8 with a scale for each 1×128 of A and each 128×128 of W, for up to 128 rows of A, on Hopper. W is read once and
// streams through shared memory. docs/fp8-on-hopper.md explains how.
//
// block_stream_space.h says which tile to choose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/stream/packer.h"
#include "gemmtune/kernels/stream/stream_kernel.h"
#include "gemmtune/kernels/stream/stream_tile.h"

namespace gemmtune {

using BlockStreamTile = StreamTile;

/// Why there is no such kernel, or "".
std::string why_no_block_stream(const Problem& problem, const BlockStreamTile& tile);

/// Registers of a thread that multiplies, and the memory of the scales.
StreamNeeds block_stream_needs(const BlockStreamTile& tile);

/// The source of the kernel that multiplies. It is the same for all sizes.
KernelSource block_stream_source(const Problem& problem, const BlockStreamTile& tile);

/// All sources that a BlockStreamGemm compiles.
std::vector<KernelSource> block_stream_sources(const Problem& problem, const BlockStreamTile& tile);

/// The tensor core's sums of 128 of K are multiplied by both scales and added in float. W's scales of folded MXFP8 come
/// last instead: sums times A's scales alone must be in the range of floats.
class BlockStreamGemm {
 public:
  /// Compiles the kernels. Throws Error{unsupported} with the reason from why_no_block_stream(), or with the compiler's
  /// log.
  BlockStreamGemm(const Problem& problem, const BlockStreamTile& tile);

  /// Only for problems with packed weights that are not MXFP8.
  const std::optional<StreamPacker>& packer() const { return kernel_.packer(); }

  /// Computes c from a, a_scale, w or packed_w, w_scale and bias. Of MXFP8, a and packed_w are folded
  /// (families/folded_mxfp8.h), and w_scale is f32, one for each row of W. See StreamKernel::launch().
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  StreamKernel kernel_;
};

}  // namespace gemmtune
