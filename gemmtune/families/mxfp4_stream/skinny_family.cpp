#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/mxfp4_stream/stream_family.h"
#include "gemmtune/families/mxfp4_stream/stream_space.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family();

namespace mxfp4_stream {
namespace {

/// Few rows of A, each block of K by itself: any scales, exact blocks.
class SkinnyFamily final : public StreamFamily {
 public:
  std::string_view name() const override { return "mxfp4_skinny"; }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_skinny(problem, device);
  }
  Space space(const Problem& problem, const DeviceInfo& device) const override { return skinny_space(problem, device); }
  std::string why_no_kernel(const Problem& problem, const Point& point) const override {
    return why_no_stream(problem, skinny_tile(point));
  }
  std::unique_ptr<PreparedGemm> prepared(const Problem& problem, const Point& point,
                                         const DeviceInfo& device) const override {
    return std::make_unique<PreparedStream<StreamGemm>>(StreamGemm(problem, skinny_tile(point), device.cu_num));
  }
  std::vector<KernelSource> sources(const Problem& problem, const Point& point) const override {
    return {stream_source(problem, skinny_tile(point)), stream_pack_source(StreamScales::block)};
  }
};

}  // namespace
}  // namespace mxfp4_stream

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family() { return std::make_unique<mxfp4_stream::SkinnyFamily>(); }

}  // namespace gemmtune
