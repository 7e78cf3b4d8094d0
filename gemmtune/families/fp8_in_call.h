// Problems whose call quantises A to E4M3 (gemm/fp8_in_call.h), through kernels for FP8: each call quantises A into the
// workspace and then multiplies it (kernels/fp8_quantiser.h). Families that have such kernels wrap them in this class,
// and look at product_in_call() of a problem for everything else.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/two_step_gemm.h"
#include "gemmtune/kernels/fp8_quantiser.h"

namespace gemmtune {

/// Why the call does not quantise A on this device, or "": also for problems whose A is multiplied as it is.
inline std::string why_not_quantised_in_call(const Problem& problem, const DeviceInfo& device) {
  if (!is_fp8_in_call(problem.a)) return "";
  return device.arch.starts_with("sm90") ? why_no_fp8_quantiser(problem) : "quantises A on Hopper GPUs only";
}

class Fp8InCallGemm final : public TwoStepGemm {
 public:
  /// `product` is prepared for product_in_call(problem).
  Fp8InCallGemm(const Problem& problem, std::unique_ptr<PreparedGemm> product)
      : Fp8InCallGemm(Fp8Quantiser(problem), std::move(product)) {}

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const auto at = quantiser_.layout();
    quantiser_.launch(operands.a, operands.workspace, stream);
    Operands quantised = operands;
    quantised.a = operands.workspace + at.values;
    quantised.a_scale = operands.workspace + at.scales;
    launch_product(quantised, stream);
  }

 private:
  Fp8InCallGemm(Fp8Quantiser quantiser, std::unique_ptr<PreparedGemm> product)
      : TwoStepGemm(quantiser.layout().bytes, std::move(product)), quantiser_(std::move(quantiser)) {}

  Fp8Quantiser quantiser_;
};

/// make(product_in_call(problem)), and a quantiser in front of it if the call quantises A.
template <typename Make>
std::unique_ptr<PreparedGemm> make_in_call(const Problem& problem, Make make) {
  std::unique_ptr<PreparedGemm> product = make(product_in_call(problem));
  if (!is_fp8_in_call(problem.a)) return product;
  return std::make_unique<Fp8InCallGemm>(problem, std::move(product));
}

/// The sources of a product's kernels, and that of the quantiser if the call quantises A.
inline std::vector<KernelSource> sources_in_call(const Problem& problem, std::vector<KernelSource> of_product) {
  if (is_fp8_in_call(problem.a)) of_product.push_back(fp8_quantise_source(problem.a));
  return of_product;
}

}  // namespace gemmtune
