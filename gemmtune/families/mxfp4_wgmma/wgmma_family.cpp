#include "gemmtune/families/mxfp4_wgmma/wgmma_family.h"

#include <string>
#include <utility>
#include <vector>

#include "gemmtune/core/error.h"
#include "gemmtune/families/mxfp4_wgmma/folded_gemm.h"
#include "gemmtune/families/mxfp4_wgmma/wgmma_space.h"

namespace gemmtune::mxfp4_wgmma {
namespace {

class WgmmaFamily final : public KernelFamily {
 public:
  explicit WgmmaFamily(FoldType type) : type_(type), name_(family_name(type)) {}

  std::string_view name() const override { return name_; }
  std::string version() const override { return "2"; }
  DeviceKind runs_on() const override { return DeviceKind::cuda; }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo& device) const override {
    const Space space = space_of(problem, type_, device);
    std::vector<Candidate> candidates;
    for (const auto& point : space.points()) {
      candidates.push_back(space.candidate(name_, point));
      candidates.back().split_k = point["k"];
    }
    return candidates;
  }

  std::vector<KernelSource> kernels(const Problem& problem, const Candidate& candidate,
                                    const DeviceInfo& device) const override {
    const auto [product, tile] = parsed(problem, candidate, device);
    return folded_kernels(product, tile);
  }

 private:
  std::string why_not(const Problem& problem, const DeviceInfo& device) const override {
    return why_unsupported(problem, type_, device);
  }

  std::unique_ptr<PreparedGemm> make(const Problem& problem, const Candidate& candidate,
                                     const DeviceInfo& device) const override {
    const auto [product, tile] = parsed(problem, candidate, device);
    return prepare_folded(product, tile, device);
  }

  std::pair<WgmmaProduct, WgmmaTile> parsed(const Problem& problem, const Candidate& candidate,
                                            const DeviceInfo& device) const {
    if (const auto why = why_unsupported(problem, type_, device); !why.empty()) fail(ErrorCode::unsupported, "{}", why);
    const Space space = space_of(problem, type_, device);
    const auto point = space.parse(candidate.name);
    if (!point) fail(ErrorCode::unsupported, "{} has no kernel '{}'", name_, candidate.name);
    return {product_of(problem, type_, *point), tile_of(*point)};
  }

  FoldType type_;
  std::string name_;
};

}  // namespace

std::unique_ptr<KernelFamily> make_family(FoldType type) { return std::make_unique<WgmmaFamily>(type); }

}  // namespace gemmtune::mxfp4_wgmma
