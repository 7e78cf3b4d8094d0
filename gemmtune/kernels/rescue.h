// Rows of the activations that did not fold, computed after all the others, another way: so that no call returns a
// wrong number, whatever its operands.
//
// Not: fast. A launch without such rows ends at once; with them it takes about as long as a bf16 product of them.
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
  /// For a problem of MXFP4 × MXFP4 (plain layouts) whose sides were folded like this, all batches together. Compiles;
  /// throws Error{unsupported} with the compiler's log, or for weights of bf16.
  Rescuer(const Problem& problem, const FoldSpec& activations, const FoldSpec& weights, const std::string& arch);

  /// Writes row m of C for each m that FoldLayout::wide of `folded_a` marks, from the MXFP4 activations among
  /// `operands` and the folded weights: bf16 products with the row's largest exponent taken out, summed in float.
  /// Between folding and this there must be another launch, the product: the marks are looked through while it runs.
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
