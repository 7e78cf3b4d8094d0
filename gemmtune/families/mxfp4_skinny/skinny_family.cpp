#include <memory>
#include <string>
#include <vector>

#include "gemmtune/families/mxfp4_skinny/skinny_space.h"
#include "gemmtune/families/small_m.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family();

namespace {

/// The family for up to 64 rows of A. Each block of 32 of K is summed exactly and separately, so any scales are right.
class SkinnyFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "mxfp4_skinny"; }
  std::string version() const override { return "2"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }
  DefaultRank default_rank(const Problem&) const override { return DefaultRank::best; }  // of few rows

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_not_skinny(problem, device);
  }
  // Parts along K stay within a cluster and need no memory, so tables and --splitK do not count them as splits.
  Space space(const Problem& problem, const DeviceInfo& device) const override { return skinny_space(problem, device); }
  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_skinny(problem, skinny_tile(point));
  }
  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo& device,
                                        const Point& point) const override {
    return std::make_unique<small_m::PreparedSmallM<SkinnyGemm>>(
        SkinnyGemm(problem, skinny_tile(point), device.cu_num));
  }
  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return {skinny_source(problem, skinny_tile(point)), small_m_pack_source(PackedScales::block)};
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family() { return std::make_unique<SkinnyFamily>(); }

}  // namespace gemmtune
