// e4m3 with scales of rows or of whole matrices, and bf16 and fp16 without scales, for up to 128 rows of A, on Hopper.
// W is read once and streams through shared memory. docs/small-m-on-hopper.md explains how.
//
// wgmma_stream_space.h says which tile to choose.
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

/// Why there is no such kernel, or "". The types and scales are why_not_wgmma_stream()'s to check.
std::string why_no_wgmma_stream(const Problem& problem, const StreamTile& tile);

/// Registers of a thread that multiplies, and the memory of the scales of A's rows.
StreamNeeds wgmma_stream_needs(const Problem& problem, const StreamTile& tile);

/// The source of the kernel that multiplies. It is the same for all sizes.
KernelSource wgmma_stream_source(const Problem& problem, const StreamTile& tile);

/// All sources that a WgmmaStreamGemm compiles.
std::vector<KernelSource> wgmma_stream_sources(const Problem& problem, const StreamTile& tile);

/// Sums of e4m3 are moved from the tensor core to float after each 128 of K, and are multiplied by the product of both
/// scales at the end. Sums of 16-bit types stay in the tensor core, in float.
class WgmmaStreamGemm {
 public:
  /// Compiles the kernels. Throws Error{unsupported} with the reason from why_no_wgmma_stream(), or with the compiler's
  /// log.
  WgmmaStreamGemm(const Problem& problem, const StreamTile& tile);

  /// Only for problems with packed weights.
  const std::optional<StreamPacker>& packer() const { return kernel_.packer(); }

  /// Computes c from a, w or packed_w, bias, and a_scale and w_scale where there are any. See StreamKernel::launch().
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  StreamKernel kernel_;
};

}  // namespace gemmtune
