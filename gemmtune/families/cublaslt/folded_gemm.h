// One product of MXFP4 that cuBLASLt computes, its operands turned into what it multiplies.
#pragma once

#include <memory>
#include <optional>

#include "gemmtune/families/cublaslt/folded.h"
#include "gemmtune/families/cublaslt/scale_kernels.h"
#include "gemmtune/families/family.h"
#include "gemmtune/kernels/fold.h"
#include "gemmtune/kernels/rescue.h"

namespace gemmtune::cublaslt {

/// The problem that is left to the library. It does not multiply bf16 into fp16, so it is asked for f32 then, without
/// bias.
Problem inner_problem(const Problem& problem, const FoldedRoute& route);

/// Workspace: the folded activations, an f32 product where that is to be rounded, then the library's own. Packed
/// weights: those folded.
class FoldedGemm final : public PreparedGemm {
 public:
  /// `inner` computes inner_problem(problem, route). Compiles; throws Error{unsupported} with the compiler's log.
  FoldedGemm(const Problem& problem, const FoldedRoute& route, std::unique_ptr<PreparedGemm> inner,
             const std::string& arch);

  std::size_t packed_weight_bytes() const override { return fold_w_.layout().bytes; }
  std::size_t workspace_bytes() const override { return at_a_.bytes + product_bytes_ + inner_->workspace_bytes(); }
  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override;
  void launch(const Operands& operands, Stream& stream) noexcept override;

 private:
  std::unique_ptr<PreparedGemm> inner_;
  Folder fold_a_;
  Folder fold_w_;
  FoldLayout at_a_{};
  FoldLayout at_w_{};
  std::optional<Rescuer> rescuer_;
  std::optional<ProductScaler> rounder_;
  std::size_t product_bytes_{};
};

}  // namespace gemmtune::cublaslt
