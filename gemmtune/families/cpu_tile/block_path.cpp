// Weights in scaled blocks (MXFP4, NVFP4, Q4_0, Q8_0), with rows of floats or rows that the call quantises to int8.
#include "gemmtune/families/cpu_tile/block_space.h"
#include "gemmtune/families/cpu_tile/path.h"

namespace gemmtune::cpu_tile {
namespace {

class BlockPath final : public KernelPath {
 public:
  Support supports(const Problem& problem, const DeviceInfo& /*device*/) const override {
    if (!has_block_kernels(problem)) {
      return {.why_not = "block kernels take floats with 4-bit blocks, or q8 with blocks of 4 or 8 bits"};
    }
    return {.why_not = why_invalid(problem)};
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return make_block_space(problem, device);
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Point& point,
                                        const DeviceInfo& device) const override {
    return make_block_gemm(problem, block_choice_of(problem, point, device));
  }
};

}  // namespace

std::unique_ptr<KernelPath> make_block_path() { return std::make_unique<BlockPath>(); }

}  // namespace gemmtune::cpu_tile
