// Computes the rows of C whose activations could not be folded, after all other rows and in another way, so that every
// call is right whatever its operands are.
//
// It is not fast. A launch without such rows ends at once. With them, it takes about as long as a bf16 product of these
// rows.
#pragma once

#include <string>

#include "gemmtune/device/gpu/gpu_module.h"
#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/gemm/operands.h"
#include "gemmtune/gemm/problem.h"
#include "gemmtune/kernels/fold.h"

namespace gemmtune {

class Rescuer {
 public:
  /// For MXFP4 × MXFP4 in plain layouts; `activations` and `weights` say how the two sides were folded, all batches
  /// together. Compiles. Throws Error{unsupported} with the compiler's log, or if the weights were folded to bf16.
  Rescuer(const Problem& problem, const FoldSpec& activations, const FoldSpec& weights, const std::string& arch);

  /// Writes row m of C for each m that FoldLayout::wide of `folded_a` marks, from the MXFP4 activations in `operands`
  /// and the folded weights. It sums bf16 products in float, with the row's largest exponent taken out. Another launch
  /// (the product) must be between folding and this one, which reads the marks while that launch runs.
  void launch(const Operands& operands, const std::byte* folded_a, const std::byte* folded_w,
              Stream& stream) const noexcept;

 private:
  Problem problem_{};
  FoldLayout activations_{};
  FoldLayout weights_{};
  GpuModule module_;
  GpuFunction function_{};
};

/// What a Rescuer compiles, for tests that compile everything.
KernelSource rescue_source(const Problem& problem, const FoldSpec& weights, const std::string& arch);

}  // namespace gemmtune
