// Products in two steps: a kernel in front writes operands to the workspace, and the product reads them there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "gemmtune/families/family.h"

namespace gemmtune {

/// Everything but the workspace and the launch is the product's. Its workspace is behind what the kernel in front
/// writes.
class TwoStepGemm : public PreparedGemm {
 public:
  std::size_t packed_weight_bytes() const override { return product_->packed_weight_bytes(); }
  std::string packed_layout() const override { return product_->packed_layout(); }
  std::size_t workspace_bytes() const override { return front_bytes_ + product_->workspace_bytes(); }
  AddressAlignment alignment() const override { return product_->alignment(); }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    product_->pack_weights(operands, packed, stream);
  }

 protected:
  TwoStepGemm(std::size_t front_bytes, std::unique_ptr<PreparedGemm> product)
      : front_bytes_(front_bytes), product_(std::move(product)) {}

  /// `operands` as the product wants them, but for the workspace, which is still that of both steps.
  void launch_product(Operands operands, Stream& stream) noexcept {
    operands.workspace += front_bytes_;
    product_->launch(operands, stream);
  }

 private:
  std::size_t front_bytes_{};
  std::unique_ptr<PreparedGemm> product_;
};

}  // namespace gemmtune
