// Block-scaled FP8 whose scales are E8M0, through kernels that take f32 scales: each call converts the scales into the
// workspace and then multiplies (kernels/e8m0_floats.h). Families that have such kernels wrap them in this class, and
// look at with_float_scales() of a problem for everything else.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/family.h"
#include "gemmtune/kernels/e8m0_floats.h"

namespace gemmtune {

class FloatScalesGemm final : public PreparedGemm {
 public:
  /// `product` is prepared for with_float_scales(problem), and packs weights without their scales.
  FloatScalesGemm(const Problem& problem, std::unique_ptr<PreparedGemm> product)
      : problem_(problem), floats_(problem), product_(std::move(product)) {}

  std::size_t packed_weight_bytes() const override { return product_->packed_weight_bytes(); }
  std::string packed_layout() const override { return product_->packed_layout(); }
  std::size_t workspace_bytes() const override { return floats_.layout().bytes + product_->workspace_bytes(); }
  AddressAlignment alignment() const override { return product_->alignment(); }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    product_->pack_weights(operands, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const auto at = floats_.layout();
    floats_.launch(operands.a_scale, operands.w_scale, operands.workspace, stream);
    Operands with_floats = operands;
    if (is_converted(problem_.a)) with_floats.a_scale = operands.workspace + at.a;
    if (is_converted(problem_.w)) with_floats.w_scale = operands.workspace + at.w;
    with_floats.workspace = operands.workspace + at.bytes;
    product_->launch(with_floats, stream);
  }

 private:
  static bool is_converted(const Side& side) { return with_float_scales(side.scaling) != side.scaling; }

  Problem problem_;
  E8m0Floats floats_;
  std::unique_ptr<PreparedGemm> product_;
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
