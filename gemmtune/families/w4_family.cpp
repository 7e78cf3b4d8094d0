#include "gemmtune/families/w4_family.h"

#include <string>
#include <vector>

#include "gemmtune/families/fp8_in_call.h"
#include "gemmtune/families/small_m.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {
namespace {

/// The families for weights of 4 bits, for any number of rows of A. To E4M3, each call may quantise A.
class W4Family final : public SpaceFamily {
 public:
  explicit W4Family(W4Activations activations) : activations_(activations) {}

  std::string_view name() const override { return w4_family_name(activations_); }
  std::string version() const override { return is_e4m3() ? "1" : "2"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }
  FeatureSet features() const override {
    return basic_features().with(is_e4m3() ? FeatureSet{feature_of(Scaling::fp8_row)} : block_features());
  }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_w4(activations_, product_in_call(problem), device);
  }
  // Parts along K stay within a cluster and need no memory, so tables and --splitK do not count them as splits.
  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return w4_space(product_in_call(problem), device);
  }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_w4(product_in_call(problem), w4_tile(point));
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo& device,
                                        const Point& point) const override {
    return make_in_call(problem, [&](const Problem& product) {
      return std::make_unique<small_m::PreparedSmallM<W4Gemm>>(W4Gemm(product, w4_tile(point), device.cu_num));
    });
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return sources_in_call(problem, w4_sources(product_in_call(problem), w4_tile(point)));
  }

  bool is_e4m3() const { return activations_ == W4Activations::e4m3; }

  W4Activations activations_;
};

}  // namespace

std::unique_ptr<KernelFamily> make_w4_family(W4Activations activations) {
  return std::make_unique<W4Family>(activations);
}

}  // namespace gemmtune
