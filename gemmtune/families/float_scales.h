// Block-scaled FP8 whose scales are E8M0, through kernels that take f32 scales: each call converts the scales into the
// workspace and then multiplies (kernels/e8m0_floats.h). Families that have such kernels wrap them in this class, and
// look at with_float_scales() of a problem for everything else.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gemmtune/families/two_step_gemm.h"
#include "gemmtune/kernels/e8m0_floats.h"

namespace gemmtune {

class FloatScalesGemm final : public TwoStepGemm {
 public:
  /// `product` is prepared for with_float_scales(problem), and packs weights without their scales.
  FloatScalesGemm(const Problem& problem, std::unique_ptr<PreparedGemm> product)
      : FloatScalesGemm(problem, E8m0Floats(problem), std::move(product)) {}

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const auto at = floats_.layout();
    floats_.launch(operands.a_scale, operands.w_scale, operands.workspace, stream);
    Operands with_floats = operands;
    if (is_converted(problem_.a)) with_floats.a_scale = operands.workspace + at.a;
    if (is_converted(problem_.w)) with_floats.w_scale = operands.workspace + at.w;
    launch_product(with_floats, stream);
  }

 private:
  FloatScalesGemm(const Problem& problem, E8m0Floats floats, std::unique_ptr<PreparedGemm> product)
      : TwoStepGemm(floats.layout().bytes, std::move(product)), problem_(problem), floats_(std::move(floats)) {}

  static bool is_converted(const Side& side) { return with_float_scales(side.scaling) != side.scaling; }

  Problem problem_;
  E8m0Floats floats_;
};

/// make(with_float_scales(problem)), and a conversion in front of it if a side has E8M0 scales for blocks of 128.
template <typename Make>
std::unique_ptr<PreparedGemm> make_with_float_scales(const Problem& problem, Make make) {
  const Problem with_floats = with_float_scales(problem);
  auto product = make(with_floats);
  if (with_floats == problem) return product;
  return std::make_unique<FloatScalesGemm>(problem, std::move(product));
}

/// The sources of a product's kernels, and that of the conversion if there is one.
inline std::vector<KernelSource> sources_with_float_scales(const Problem& problem,
                                                           std::vector<KernelSource> of_product) {
  if (with_float_scales(problem) != problem) of_product.push_back(e8m0_floats_source());
  return of_product;
}

}  // namespace gemmtune
