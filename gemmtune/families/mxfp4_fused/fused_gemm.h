// MXFP4 × MXFP4 for some dozens of rows of A, on Hopper. Activations are folded to e4m3 by a launch of their own
// (kernels/fold.h). Weights stay 4-bit, are read once from memory, and become e4m3 on their way to the tensor cores.
// docs/mxfp4-on-hopper.md says how.
//
// Not: fewer rows (families/mxfp4_skinny/skinny_gemm.h), or which tile to choose (fused_space.h).
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
#include "gemmtune/kernels/small_m/problem.h"
#include "gemmtune/kernels/small_m/weights.h"

namespace gemmtune {

struct FusedTile {
  std::int64_t rows_a{64};     // of A in a tile: a multiple of 8 up to 128
  std::int64_t row_groups{2};  // warpgroups side by side, 64 rows of W each: 1 to 3
  std::int64_t cluster{2};     // blocks that share rows and split K
  std::int64_t stages{8};      // of the pipeline; each holds a chunk of 128 of K

  SmallMCut cut() const { return {.rows_a = rows_a, .row_groups = row_groups, .cluster = cluster}; }
  auto operator<=>(const FusedTile&) const = default;
};

/// Why there is no such kernel, or "".
std::string why_no_fused(const Problem& problem, const FusedTile& tile);

std::int64_t fused_shared_bytes(const FusedTile& tile);

/// What multiplies, for tests that compile everything; the same for all sizes.
KernelSource fused_source(const Problem& problem, const FusedTile& tile);

/// All that a FusedGemm compiles.
std::vector<KernelSource> fused_sources(const Problem& problem, const FusedTile& tile);

/// The tensor core's sums are added to float sums after each 512 of K. Rows of A that cannot be folded are computed in
/// double from their codes, which is slow and exact.
class FusedGemm {
 public:
  /// Compiles. Throws Error{unsupported} for what why_no_fused says, and with the compiler's log.
  FusedGemm(const Problem& problem, const FusedTile& tile, std::int64_t multiprocessors);

  const SmallMPacker& packer() const { return packer_; }
  std::size_t workspace_bytes() const { return folder_.layout().bytes; }

  /// From a, a_scale, packed_w and bias to c, by way of the workspace. Scales of 255 make their rows and columns of C
  /// NaN. Starts early (pdl.cuh): packed_w must be there before the kernel that comes before it on the stream.
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  void launch_or_throw(const Operands& operands, Stream& stream) const;

  Problem problem_{};
  FusedTile tile_{};
  unsigned blocks_{};
  SmallMPacker packer_;
  Folder folder_;
  GpuModule module_;
  GpuFunction multiply_{};
};

}  // namespace gemmtune
