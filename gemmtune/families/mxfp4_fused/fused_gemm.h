// MXFP4 × MXFP4 for some dozens of rows of A, on Hopper. A separate launch folds the activations to e4m3
// (kernels/fold.h). Weights stay 4-bit, are read once from memory, and become e4m3 on their way to the tensor cores.
// docs/mxfp4-on-hopper.md explains how.
//
// Fewer rows are for families/mxfp4_skinny/skinny_gemm.h. fused_space.h says which tile to choose.
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
  std::int64_t rows_a{64};     // rows of A in a tile: a multiple of 8 up to 128
  std::int64_t row_groups{2};  // warpgroups side by side, 64 rows of W each: 1 to 3
  std::int64_t cluster{2};     // blocks that share rows and split K
  std::int64_t stages{8};      // of the pipeline; each holds a chunk of 128 of K

  SmallMCut cut() const { return {.rows_a = rows_a, .row_groups = row_groups, .cluster = cluster}; }
  auto operator<=>(const FusedTile&) const = default;
};

/// Why there is no such kernel, or "".
std::string why_no_fused(const Problem& problem, const FusedTile& tile);

std::int64_t fused_shared_bytes(const FusedTile& tile);

/// The source of the kernel that multiplies, for tests that compile everything. It is the same for all sizes.
KernelSource fused_source(const Problem& problem, const FusedTile& tile);

/// All sources that a FusedGemm compiles.
std::vector<KernelSource> fused_sources(const Problem& problem, const FusedTile& tile);

/// The tensor core's sums are added to float sums after every 512 of K. Rows of A that cannot be folded are computed in
/// double from their codes, which is slow and exact.
class FusedGemm {
 public:
  /// Compiles the kernels. Throws Error{unsupported} with the reason from why_no_fused(), or with the compiler's log.
  FusedGemm(const Problem& problem, const FusedTile& tile, std::int64_t multiprocessors);

  const SmallMPacker& packer() const { return packer_; }
  std::size_t workspace_bytes() const { return folder_.layout().bytes; }

  /// Computes c from a, a_scale, packed_w and bias, with the workspace. Scales of 255 make their rows and columns of C
  /// NaN. The kernel starts early (pdl.cuh): packed_w must be complete before the kernel that precedes it on the
  /// stream.
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
