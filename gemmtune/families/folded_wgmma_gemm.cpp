#include "gemmtune/families/folded_wgmma_gemm.h"

#include "gemmtune/kernels/fold.h"
#include "gemmtune/kernels/rescue.h"

namespace gemmtune::folded_wgmma {
namespace {

constexpr const char* arch = "sm90a";

/// The weights' int8 is filled low and the activations' high, because that takes the least power.
FoldSpec activations_of(const WgmmaProduct& product) {
  const auto& p = product.problem;
  return {.type = product.type, .base = product.base, .rows = p.batch * p.m, .k = p.k, .fill = FoldFill::high};
}
FoldSpec weights_of(const WgmmaProduct& product) {
  const auto& p = product.problem;
  return {.type = product.type, .base = product.base, .rows = p.batch * p.n, .k = p.k, .fill = FoldFill::low};
}

class FoldedGemm final : public PreparedGemm {
 public:
  FoldedGemm(const WgmmaProduct& product, const WgmmaTile& tile, const DeviceInfo& device)
      : gemm_(make_wgmma_gemm(product, tile, device.cu_num)),
        activations_(activations_of(product), arch),
        weights_(weights_of(product), arch),
        rescuer_(product.problem, activations_.spec(), weights_.spec(), arch) {}

  std::size_t packed_weight_bytes() const override { return weights_.layout().bytes; }
  std::string packed_layout() const override { return fold_layout_name(weights_.spec()); }
  std::size_t workspace_bytes() const override { return activations_.layout().bytes + gemm_.partial_bytes(); }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    weights_.fold_weights(operands.w, operands.w_scale, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override {
    const auto a = activations_.layout();
    const auto w = weights_.layout();
    std::byte* const folded = operands.workspace;
    activations_.launch(operands.a, operands.a_scale, folded, stream);
    gemm_.launch({.a = folded + a.values,
                  .a_scales = reinterpret_cast<const float*>(folded + a.scales),
                  .w = operands.packed_w + w.values,
                  .w_scales = reinterpret_cast<const float*>(operands.packed_w + w.scales),
                  .bias = operands.bias,
                  .c = operands.c,
                  .partial_sums = folded + a.bytes},
                 stream);
    rescuer_.launch(operands, folded, operands.packed_w, stream);
  }

 private:
  WgmmaKernel gemm_;
  Folder activations_;
  Folder weights_;
  Rescuer rescuer_;
};

}  // namespace

std::vector<KernelSource> folded_kernels(const WgmmaProduct& product, const WgmmaTile& tile) {
  const auto activations = activations_of(product);
  const auto weights = weights_of(product);
  return {wgmma_source(product, tile), fold_source(activations, arch), fold_source(weights, arch),
          rescue_source(product.problem, weights, arch)};
}

std::unique_ptr<PreparedGemm> prepare_folded(const WgmmaProduct& product, const WgmmaTile& tile,
                                             const DeviceInfo& device) {
  return std::make_unique<FoldedGemm>(product, tile, device);
}

}  // namespace gemmtune::folded_wgmma
