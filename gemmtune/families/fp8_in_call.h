// Problems whose call quantises A to E4M3 (gemm/fp8_in_call.h), through kernels for FP8: each call quantises A into the
// workspace and then multiplies it (kernels/fp8_quantiser.h). Families that have such kernels wrap them in this class,
// and look at product_in_call() of a problem for everything else.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/kernels/fp8_quantiser.h"

namespace gemmtune {

/// Why the call does not quantise A on this device, or "": also for problems whose A is multiplied as it is.
inline std::string why_not_quantised_in_call(const Problem& problem, const DeviceInfo& device) {
  if (!is_fp8_in_call(problem.a)) return "";
  return device.arch.starts_with("sm90") ? why_no_fp8_quantiser(problem) : "quantises A on Hopper GPUs only";
}

class Fp8InCallGemm final : public PreparedGemm {
 public:
  /// `product` is prepared for product_in_call(problem).
  Fp8InCallGemm(const Problem& problem, std::unique_ptr<PreparedGemm> product)
      : quantiser_(problem), product_(std::move(product)) {}

  std::size_t packed_weight_bytes() const override { return product_->packed_weight_bytes(); }
  std::string packed_layout() const override { return product_->packed_layout(); }
  std::size_t workspace_bytes() const override { return quantiser_.layout().bytes + product_->workspace_bytes(); }
  AddressAlignment alignment() const override { return product_->alignment(); }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    product_->pack_weights(operands, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const auto at = quantiser_.layout();
    quantiser_.launch(operands.a, operands.workspace, stream);
    Operands quantised = operands;
    quantised.a = operands.workspace + at.values;
    quantised.a_scale = operands.workspace + at.scales;
    quantised.workspace = operands.workspace + at.bytes;
    product_->launch(quantised, stream);
  }

 private:
  Fp8Quantiser quantiser_;
  std::unique_ptr<PreparedGemm> product_;
};

/// make(product_in_call(problem)), and a quantiser in front of it if the call quantises A.
template <typename Make>
std::unique_ptr<PreparedGemm> make_in_call(const Problem& problem, Make make) {
  auto product = make(product_in_call(problem));
  if (!is_fp8_in_call(problem.a)) return product;
  return std::make_unique<Fp8InCallGemm>(problem, std::move(product));
}

/// The sources of a product's kernels, and that of the quantiser if the call quantises A.
inline std::vector<KernelSource> sources_in_call(const Problem& problem, std::vector<KernelSource> of_product) {
  if (is_fp8_in_call(problem.a)) of_product.push_back(fp8_quantise_source(problem.a));
  return of_product;
}

}  // namespace gemmtune
