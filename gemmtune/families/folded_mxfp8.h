// MXFP8 through kernels for FP8 with one scale for each 128 of K of A and one for each row of the weights. The weights
// are folded once, when they are packed, and A in each call (kernels/mxfp8_folder.h). Families that have such a kernel
// wrap it in this class.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "gemmtune/families/family.h"
#include "gemmtune/kernels/mxfp8_folder.h"

namespace gemmtune {

/// Why such a problem is not multiplied this way, or "". Whether K fits is the kernel's to say: it is a multiple of
/// 128.
inline std::string why_not_folded_mxfp8(const Problem& problem) {
  if (!is_mxfp8(problem.a) || !is_mxfp8(problem.w)) return "folds MXFP8 on both sides only";
  if (!problem.packed) return "folds MXFP8 weights when they are packed, and these are not";
  return problem.batch > 65'535 ? "too large" : "";
}

/// `Multiply` is called as multiply(operands, stream), must not throw, and must not allocate. In those operands, `a`
/// and `packed_w` are folded values, the scales are f32, and `workspace` is what `partial_bytes` asked for.
template <typename Multiply>
class FoldedMxfp8Gemm final : public PreparedGemm {
 public:
  FoldedMxfp8Gemm(const Problem& problem, Mxfp8WeightLayout stored, std::size_t partial_bytes, Multiply multiply)
      : partial_bytes_(partial_bytes),
        activations_(problem.batch * problem.m, problem.k),
        weights_(problem, stored),
        multiply_(std::move(multiply)) {}

  std::size_t packed_weight_bytes() const override { return weights_.layout().bytes; }
  std::string packed_layout() const override { return weights_.layout_name(); }
  std::size_t workspace_bytes() const override { return activations_.layout().bytes + partial_bytes_; }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    weights_.fold(operands.w, operands.w_scale, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const auto a = activations_.layout();
    const auto w = weights_.layout();
    activations_.launch(operands.a, operands.a_scale, operands.workspace, stream);
    multiply_(Operands{.a = operands.workspace + a.values,
                       .a_scale = operands.workspace + a.scales,
                       .w_scale = operands.packed_w + w.scales,
                       .bias = operands.bias,
                       .c = operands.c,
                       .packed_w = operands.packed_w + w.values,
                       .workspace = operands.workspace + a.bytes},
              stream);
  }

 private:
  std::size_t partial_bytes_{};
  Mxfp8ActivationFolder activations_;
  Mxfp8WeightFolder weights_;
  Multiply multiply_;
};

template <typename Multiply>
std::unique_ptr<PreparedGemm> make_folded_mxfp8(const Problem& problem, Mxfp8WeightLayout stored,
                                                std::size_t partial_bytes, Multiply multiply) {
  return std::make_unique<FoldedMxfp8Gemm<Multiply>>(problem, stored, partial_bytes, std::move(multiply));
}

}  // namespace gemmtune
