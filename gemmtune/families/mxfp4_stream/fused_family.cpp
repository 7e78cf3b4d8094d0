#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/mxfp4_stream/stream_family.h"
#include "gemmtune/families/mxfp4_stream/stream_space.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_fused_family();

namespace mxfp4_stream {
namespace {

class PreparedFoldedStream final : public PreparedGemm {
 public:
  PreparedFoldedStream(const Problem& problem, const FoldedStreamTile& tile, const DeviceInfo& device)
      : gemm_(problem, tile, device.cu_num) {}

  std::size_t packed_weight_bytes() const override { return gemm_.packer().bytes(); }
  std::size_t workspace_bytes() const override { return gemm_.workspace_bytes(); }

  void pack_weights(const Operands& operands, std::byte* packed, Stream& stream) override {
    gemm_.packer().pack(operands.w, operands.w_scale, packed, stream);
  }

  void launch(const Operands& operands, Stream& stream) noexcept override { gemm_.launch(operands, stream); }

 private:
  FoldedStreamGemm gemm_;
};

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
    return std::make_unique<PreparedFoldedStream>(problem, fused_tile(point), device);
  }
  std::vector<KernelSource> sources(const Problem& problem, const Point& point) const override {
    return folded_stream_sources(problem, fused_tile(point));
  }
};

}  // namespace
}  // namespace mxfp4_stream

std::unique_ptr<KernelFamily> make_mxfp4_fused_family() { return std::make_unique<mxfp4_stream::FusedFamily>(); }

}  // namespace gemmtune
