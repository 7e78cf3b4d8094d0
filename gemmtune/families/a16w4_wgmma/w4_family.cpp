#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/a16w4_wgmma/w4_space.h"
#include "gemmtune/families/small_m.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_a16w4_wgmma_family();

namespace {

/// The family for weights of 4 bits and activations in bf16.
class W4Family final : public SpaceFamily {
 public:
  std::string_view name() const override { return "a16w4_wgmma"; }
  std::string version() const override { return "1"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }
  FeatureSet features() const override { return basic_features().with(block_features()); }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_w4(problem, device);
  }
  // Parts along K stay within a cluster and need no memory, so tables and --splitK do not count them as splits.
  Space space(const Problem& problem, const DeviceInfo& device) const override { return w4_space(problem, device); }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_w4(problem, w4_tile(point));
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo& device,
                                        const Point& point) const override {
    return std::make_unique<small_m::PreparedSmallM<W4Gemm>>(W4Gemm(problem, w4_tile(point), device.cu_num));
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return w4_sources(problem, w4_tile(point));
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_a16w4_wgmma_family() { return std::make_unique<W4Family>(); }

}  // namespace gemmtune
