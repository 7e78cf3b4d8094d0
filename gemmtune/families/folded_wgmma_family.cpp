#include "gemmtune/families/folded_wgmma_family.h"

#include <string>
#include <vector>

#include "gemmtune/families/folded_wgmma_gemm.h"
#include "gemmtune/families/folded_wgmma_space.h"
#include "gemmtune/families/space_family.h"

namespace gemmtune::folded_wgmma {
namespace {

class WgmmaFamily final : public SpaceFamily {
 public:
  explicit WgmmaFamily(FoldType type) : type_(type), name_(family_name(type)) {}

  std::string_view name() const override { return name_; }
  std::string version() const override { return "3"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_unsupported(problem, type_, device);
  }

  Space space(const Problem& problem, const DeviceInfo& device) const override {
    return space_of(problem, type_, device);
  }

  void adjust(Candidate& candidate, const Point& point) const override { candidate.split_k = point["k"]; }

  std::string why_no_kernel(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return why_no_wgmma(product_of(problem, type_, point), tile_of(point));
  }

  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo& device,
                                        const Point& point) const override {
    return prepare_folded(product_of(problem, type_, point), tile_of(point), device);
  }

  std::vector<KernelSource> kernels_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return folded_kernels(product_of(problem, type_, point), tile_of(point));
  }

  FoldType type_;
  std::string name_;
};

}  // namespace

std::unique_ptr<KernelFamily> make_family(FoldType type) { return std::make_unique<WgmmaFamily>(type); }

}  // namespace gemmtune::folded_wgmma
