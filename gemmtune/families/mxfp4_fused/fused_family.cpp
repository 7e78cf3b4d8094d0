#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/mxfp4_fused/fused_space.h"
#include "gemmtune/families/small_m.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_fused_family();

namespace {

/// The family for some dozens of rows of A, which are folded in each call.
class FusedFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "mxfp4_fused"; }
  std::string version() const override { return "2"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_fused(problem, device);
  }
  // Parts along K stay within a cluster and need no memory, so tables and --splitK do not count them as splits.
  Space space(const Problem& problem, const DeviceInfo& device) const override { return fused_space(problem, device); }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_fused(problem, fused_tile(point));
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo& device,
                                        const Point& point) const override {
    return std::make_unique<small_m::PreparedSmallM<FusedGemm>>(FusedGemm(problem, fused_tile(point), device.cu_num));
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return fused_sources(problem, fused_tile(point));
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_mxfp4_fused_family() { return std::make_unique<FusedFamily>(); }

}  // namespace gemmtune
