#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/fp8_in_call.h"
#include "gemmtune/families/prepared_stream.h"
#include "gemmtune/families/space_family.h"
#include "gemmtune/families/wgmma_stream/wgmma_stream_space.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_wgmma_stream_family();

namespace {

/// The family for FP8, whose A each call may quantise, and 16-bit types with up to 128 rows of A.
class WgmmaStreamFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "wgmma_stream"; }
  std::string version() const override { return "1"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }
  FeatureSet features() const override { return basic_features().with({feature_of(Scaling::fp8_row)}); }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_wgmma_stream(product_in_call(problem), device);
  }
  // Parts along K stay within a cluster and need no memory, so tables and --splitK do not count them as splits.
  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return wgmma_stream_space(product_in_call(problem), device);
  }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_wgmma_stream(product_in_call(problem), stream_tile(point));
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return make_in_call(problem, [&](const Problem& product) {
      return std::make_unique<PreparedStream<WgmmaStreamGemm>>(WgmmaStreamGemm(product, stream_tile(point)));
    });
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return sources_in_call(problem, wgmma_stream_sources(product_in_call(problem), stream_tile(point)));
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_wgmma_stream_family() { return std::make_unique<WgmmaStreamFamily>(); }

}  // namespace gemmtune
