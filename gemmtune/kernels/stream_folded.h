// MXFP4 × MXFP4 for some dozens of rows of A, on Hopper: activations are folded to e4m3 by a launch of their own
// (kernels/fold.h), weights stay 4-bit, stream once from memory, and become e4m3 on their way to the tensor cores.
// docs/mxfp4-on-hopper.md says how.
//
// Not: a handful of rows (kernels/stream.h), or what to choose (families/mxfp4_stream).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/fold.h"
#include "gemmtune/kernels/stream_problem.h"
#include "gemmtune/kernels/stream_weights.h"

namespace gemmtune {

struct FoldedStreamTile {
  std::int64_t rows_a{64};     // of A in a tile: a multiple of 8 up to 128
  std::int64_t row_groups{2};  // warpgroups side by side, 64 rows of W each: 1 to 3
  std::int64_t cluster{2};     // blocks that share rows and split K
  std::int64_t stages{8};      // chunks of 128 of K that are on their way

  StreamCut cut() const { return {.rows_a = rows_a, .row_groups = row_groups, .cluster = cluster}; }
  auto operator<=>(const FoldedStreamTile&) const = default;
};

/// Why there is no such kernel, or "".
std::string why_no_folded_stream(const Problem& problem, const FoldedStreamTile& tile);

std::int64_t folded_stream_shared_bytes(const FoldedStreamTile& tile);

/// What multiplies, for tests that compile everything; the same for all sizes.
KernelSource folded_stream_source(const Problem& problem, const FoldedStreamTile& tile);

/// All that a FoldedStreamGemm compiles.
std::vector<KernelSource> folded_stream_sources(const Problem& problem, const FoldedStreamTile& tile);

/// Sums move to float after each 512 of K. Rows of A that do not fold are computed in double, from their codes: slowly,
/// and right.
class FoldedStreamGemm {
 public:
  /// Compiles. Throws Error{unsupported} for what why_no_folded_stream says, and with the compiler's log.
  FoldedStreamGemm(const Problem& problem, const FoldedStreamTile& tile, std::int64_t multiprocessors);

  const StreamPacker& packer() const { return packer_; }
  std::size_t workspace_bytes() const { return folder_.layout().bytes; }

  /// From a, a_scale, packed_w and bias to c, by way of the workspace. Scales of 255 make their rows and columns of C
  /// NaN. Starts early (overlap.cuh): packed_w must be there before the kernel that comes before it on the stream.
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  void launch_or_throw(const Operands& operands, Stream& stream) const;

  Problem problem_{};
  FoldedStreamTile tile_{};
  unsigned blocks_{};
  StreamPacker packer_;
  Folder folder_;
  GpuModule module_;
  GpuFunction multiply_{};
};

}  // namespace gemmtune
