// MXFP4 × MXFP4 for few rows of A, on Hopper. Weights stay 4-bit, are read once from memory, and become e4m3 on their
// way to the tensor cores. Activations are read as they are. There is one launch and no workspace.
// docs/mxfp4-on-hopper.md explains how.
//
// More rows are for families/mxfp4_fused/fused_gemm.h. skinny_space.h says which tile to choose.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gemmtune/device/device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/small_m/problem.h"
#include "gemmtune/kernels/small_m/weights.h"

namespace gemmtune {

struct SkinnyTile {
  std::int64_t rows_a{16};     // rows of A in a tile: a multiple of 8 up to 64
  std::int64_t row_groups{1};  // warpgroups side by side, 64 rows of W each
  std::int64_t k_groups{2};    // warpgroups that share rows and split K
  std::int64_t cluster{1};     // blocks that share rows and split K
  std::int64_t stages{4};      // stages of each warpgroup's pipeline; each holds a unit of W, 256 of K
  std::int64_t converters{2};  // warps that convert A's codes to e4m3: 2 or 6

  SmallMCut cut() const { return {.rows_a = rows_a, .row_groups = row_groups, .cluster = cluster}; }
  auto operator<=>(const SkinnyTile&) const = default;
};

/// Why there is no such kernel, or "".
std::string why_no_skinny(const Problem& problem, const SkinnyTile& tile);

std::int64_t skinny_shared_bytes(const SkinnyTile& tile);

/// The source of the kernel, for tests that compile everything. It does not depend on the sizes.
KernelSource skinny_source(const Problem& problem, const SkinnyTile& tile);

/// Each block of 32 of K is summed separately, which is exact, and is then added in float, multiplied by both its
/// scales. Elements whose sum leaves float's range on the way are computed again in double, so all activations give
/// right results.
class SkinnyGemm {
 public:
  /// Compiles the kernels. Throws Error{unsupported} with the reason from why_no_skinny(), or with the compiler's log.
  SkinnyGemm(const Problem& problem, const SkinnyTile& tile, std::int64_t multiprocessors);

  const SmallMPacker& packer() const { return packer_; }

  /// Computes c from a, a_scale, packed_w and bias. Scales of 255 make their rows and columns of C NaN. The kernel
  /// starts early (pdl.cuh): packed_w must be complete before the kernel that precedes it on the stream.
  void launch(const Operands& operands, Stream& stream) const noexcept;

 private:
  Problem problem_{};
  SkinnyTile tile_{};
  unsigned blocks_{};
  SmallMPacker packer_;
  GpuModule module_;
  GpuFunction multiply_{};
};

}  // namespace gemmtune
