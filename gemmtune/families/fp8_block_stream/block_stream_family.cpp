#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/block_scaled_fp8.h"
#include "gemmtune/families/folded_mxfp8.h"
#include "gemmtune/families/fp8_block_stream/block_stream_space.h"
#include "gemmtune/families/prepared_stream.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_stream_family();

namespace {

std::unique_ptr<PreparedGemm> prepared(const Problem& product, const BlockStreamTile& tile) {
  BlockStreamGemm gemm(product, tile);
  if (!is_mxfp8(product.w)) return std::make_unique<PreparedStream<BlockStreamGemm>>(std::move(gemm));
  return make_folded_mxfp8(
      product, Mxfp8WeightLayout::bricks, 0,
      [gemm = std::move(gemm)](const Operands& folded, Stream& stream) { gemm.launch(folded, stream); });
}

/// The family for block-scaled FP8, whose A each call may quantise, and MXFP8 that is folded, with up to 128 rows of A.
class BlockStreamFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "fp8_block_stream"; }
  std::string version() const override { return "1"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }
  FeatureSet features() const override { return block_scaled_features(); }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_block_stream(block_scaled_product(problem), device);
  }
  // Parts along K stay within a cluster and need no memory, so tables and --splitK do not count them as splits.
  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return block_stream_space(block_scaled_product(problem), device);
  }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_block_stream(block_scaled_product(problem), block_stream_tile(point));
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return make_block_scaled(problem,
                             [&](const Problem& product) { return prepared(product, block_stream_tile(point)); });
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return block_scaled_sources(problem, block_stream_sources(block_scaled_product(problem), block_stream_tile(point)));
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_fp8_block_stream_family() { return std::make_unique<BlockStreamFamily>(); }

}  // namespace gemmtune
