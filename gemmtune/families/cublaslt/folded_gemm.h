// A prepared MXFP4 product: the operands are converted, and cuBLASLt multiplies them.
#pragma once

#include <memory>
#include <optional>

#include "gemmtune/families/cublaslt/folded.h"
#include "gemmtune/families/cublaslt/scale_kernels.h"
#include "gemmtune/families/family.h"
#include "gemmtune/kernels/fold.h"
#include "gemmtune/kernels/rescue.h"

namespace gemmtune::cublaslt {

/// The problem that the library computes. The library cannot multiply bf16 into fp16. In that case it writes f32
/// without a bias, and FoldedGemm adds the bias and rounds.
Problem inner_problem(const Problem& problem, const FoldedRoute& route);

/// The workspace has the folded activations, if they are to be folded, an f32 product if it must still be rounded, and
/// then the library's own workspace. Packed weights are the folded weights.
class FoldedGemm final : public PreparedGemm {
 public:
  /// `inner` computes inner_problem(problem, route). Compiles kernels. Throws Error{unsupported} with the compiler's
  /// log.
  FoldedGemm(const Problem& problem, const FoldedRoute& route, std::unique_ptr<PreparedGemm> inner,
             const std::string& arch);

  std::size_t packed_weight_bytes() const override { return fold_w_.layout().bytes; }
  std::string packed_layout() const override { return fold_layout_name(fold_w_.spec()); }
  AddressAlignment alignment() const override { return {.tensors = inner_->alignment().tensors}; }
  std::size_t workspace_bytes() const override { return at_a_.bytes + product_bytes_ + inner_->workspace_bytes(); }
  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override;
  void launch(const Operands& operands, Stream& stream) noexcept override;

 private:
  std::unique_ptr<PreparedGemm> inner_;
  std::optional<Folder> fold_a_;  // none if A is of the inner type already
  Folder fold_w_;
  FoldLayout at_a_{};
  FoldLayout at_w_{};
  std::optional<Rescuer> rescuer_;
  std::optional<ProductScaler> rounder_;
  std::size_t product_bytes_{};
};

}  // namespace gemmtune::cublaslt
