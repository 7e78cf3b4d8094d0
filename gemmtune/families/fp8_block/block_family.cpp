#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/block_scaled_fp8.h"
#include "gemmtune/families/folded_mxfp8.h"
#include "gemmtune/families/fp8_block/block_cost.h"
#include "gemmtune/families/fp8_block/block_space.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_family();

namespace {

class PreparedBlock final : public PreparedGemm {
 public:
  explicit PreparedBlock(WgmmaKernel kernel) : kernel_(std::move(kernel)) {}

  std::size_t workspace_bytes() const override { return kernel_.partial_bytes(); }
  void launch(const Operands& at, Stream& stream) noexcept override {
    kernel_.launch({.a = at.a,
                    .a_scales = reinterpret_cast<const float*>(at.a_scale),
                    .w = at.w,
                    .w_scales = reinterpret_cast<const float*>(at.w_scale),
                    .bias = at.bias,
                    .c = at.c,
                    .partial_sums = at.workspace},
                   stream);
  }

 private:
  WgmmaKernel kernel_;
};

std::unique_ptr<PreparedGemm> folded(const Problem& problem, WgmmaKernel kernel) {
  const auto partial_bytes = kernel.partial_bytes();
  return make_folded_mxfp8(problem, Mxfp8WeightLayout::rows, partial_bytes,
                           [kernel = std::move(kernel)](const Operands& at, Stream& stream) {
                             kernel.launch({.a = at.a,
                                            .a_scales = reinterpret_cast<const float*>(at.a_scale),
                                            .w = at.packed_w,
                                            .w_scales = reinterpret_cast<const float*>(at.w_scale),
                                            .bias = at.bias,
                                            .c = at.c,
                                            .partial_sums = at.workspace},
                                           stream);
                           });
}

std::vector<KernelSource> sources_of(const Problem& product, const BlockTile& tile) {
  std::vector<KernelSource> sources{block_gemm_source(product, tile)};
  if (is_mxfp8(product.w)) sources.push_back(mxfp8_fold_source());
  return sources;
}

/// The family for block-scaled FP8, whose A each call may quantise, and MXFP8 that is folded, with more than 64 rows of
/// A. Weights that may be packed are read as they are, but for MXFP8.
class BlockFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "fp8_block"; }
  std::string version() const override { return "4"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }
  FeatureSet features() const override { return block_scaled_features(); }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_block(block_scaled_product(problem), device);
  }
  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return block_space(block_scaled_product(problem), device);
  }
  double estimate(const Problem& problem, const DeviceInfo& device, const Point& point) const override {
    return block_clocks(block_scaled_product(problem), block_tile(point), device.cu_num);
  }
  void adjust(Candidate& candidate, const Point& point) const override { candidate.split_k = point["k"]; }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo& device, const Point& point) const override {
    return why_no_block_gemm(block_scaled_product(problem), block_tile(point), device.cu_num);
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo& device,
                                        const Point& point) const override {
    return make_block_scaled(problem, [&](const Problem& product) -> std::unique_ptr<PreparedGemm> {
      auto kernel = make_block_gemm(product, block_tile(point), device.cu_num);
      if (is_mxfp8(product.w)) return folded(product, std::move(kernel));
      return std::make_unique<PreparedBlock>(std::move(kernel));
    });
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return block_scaled_sources(problem, sources_of(block_scaled_product(problem), block_tile(point)));
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_fp8_block_family() { return std::make_unique<BlockFamily>(); }

}  // namespace gemmtune
