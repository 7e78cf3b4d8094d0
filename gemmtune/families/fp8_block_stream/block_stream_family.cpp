#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/fp8_block_stream/block_stream_space.h"
#include "gemmtune/families/prepared_stream.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_stream_family();

namespace {

/// The family for block-scaled FP8 with up to 128 rows of A.
class BlockStreamFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "fp8_block_stream"; }
  std::string version() const override { return "1"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_block_stream(problem, device);
  }
  // Parts along K stay within a cluster and need no memory, so tables and --splitK do not count them as splits.
  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return block_stream_space(problem, device);
  }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_block_stream(problem, block_stream_tile(point));
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return std::make_unique<PreparedStream<BlockStreamGemm>>(BlockStreamGemm(problem, block_stream_tile(point)));
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return block_stream_sources(problem, block_stream_tile(point));
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_fp8_block_stream_family() { return std::make_unique<BlockStreamFamily>(); }

}  // namespace gemmtune
