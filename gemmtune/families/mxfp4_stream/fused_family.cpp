#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/mxfp4_stream/stream_family.h"
#include "gemmtune/families/mxfp4_stream/stream_space.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_fused_family();

namespace mxfp4_stream {
namespace {

/// Some dozens of rows of A, folded in each call.
class FusedFamily final : public StreamFamily {
 public:
  std::string_view name() const override { return "mxfp4_fused"; }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_fused(problem, device);
  }
  Space space(const Problem& problem, const DeviceInfo& device) const override { return fused_space(problem, device); }
  std::string why_no_kernel(const Problem& problem, const Point& point) const override {
    return why_no_folded_stream(problem, fused_tile(point));
  }
  std::unique_ptr<PreparedGemm> prepared(const Problem& problem, const Point& point,
                                         const DeviceInfo& device) const override {
    return std::make_unique<PreparedStream<FoldedStreamGemm>>(
        FoldedStreamGemm(problem, fused_tile(point), device.cu_num));
  }
  std::vector<KernelSource> sources(const Problem& problem, const Point& point) const override {
    return folded_stream_sources(problem, fused_tile(point));
  }
};

}  // namespace
}  // namespace mxfp4_stream

std::unique_ptr<KernelFamily> make_mxfp4_fused_family() { return std::make_unique<mxfp4_stream::FusedFamily>(); }

}  // namespace gemmtune
