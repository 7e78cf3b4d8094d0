// One product of MXFP4 that cuBLASLt computes, its operands turned into what it multiplies.
#pragma once

#include <memory>
#include <optional>

#include "gemmtune/families/cublaslt/folded.h"
#include "gemmtune/families/family.h"
#include "gemmtune/kernels/fold.h"
#include "gemmtune/kernels/rescue.h"

namespace gemmtune::cublaslt {

/// The problem that is left to the library.
Problem inner_problem(const Problem& problem, const FoldedRoute& route);

/// Workspace: the folded activations, then the library's own. Packed weights: those folded.
class FoldedGemm final : public PreparedGemm {
 public:
  /// `inner` computes inner_problem(problem, route). Compiles; throws Error{unsupported} with the compiler's log.
  FoldedGemm(const Problem& problem, const FoldedRoute& route, std::unique_ptr<PreparedGemm> inner,
             const std::string& arch);

  std::size_t packed_weight_bytes() const override { return fold_w_.layout().bytes; }
  std::size_t workspace_bytes() const override { return at_a_.bytes + inner_->workspace_bytes(); }
  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override;
  void launch(const Operands& operands, Stream& stream) noexcept override;

 private:
  std::unique_ptr<PreparedGemm> inner_;
  Folder fold_a_;
  Folder fold_w_;
  FoldLayout at_a_{};
  FoldLayout at_w_{};
  std::optional<Rescuer> rescuer_;
};

}  // namespace gemmtune::cublaslt
