// A complete kernel family in one file: f32 GEMM in plain loops, tunable in how many columns it works on at a time.
// docs/adding-a-family.md walks through it.
#include <algorithm>
#include <cstdint>

#include "gemmtune/core/error.h"
#include "gemmtune/families/family.h"
#include "gemmtune/space/space.h"

namespace gemmtune {
namespace {

/// Everything that is tunable, and why some settings make no sense for a problem.
Space space_of(const Problem& problem) {
  return Space("naive_f32", {numeric_axis("nb", {8, 1, 32, 128})},
               {{"a block wider than N wastes work",
                 [n = problem.n](const Point& p) { return p["nb"] <= std::max<std::int64_t>(n, 8); }}});
}

class NaiveGemm final : public PreparedGemm {
 public:
  NaiveGemm(const Problem& problem, std::int64_t columns) : problem_(problem), columns_(columns) {}

  void launch(const Operands& operands, Stream&) noexcept override {
    const auto* a = reinterpret_cast<const float*>(operands.a);
    const auto* w = reinterpret_cast<const float*>(operands.w);
    auto* c = reinterpret_cast<float*>(operands.c);
    for (std::int64_t n0 = 0; n0 < problem_.n; n0 += columns_)
      for (std::int64_t m = 0; m < problem_.m; ++m)
        for (std::int64_t n = n0; n < std::min(n0 + columns_, problem_.n); ++n)
          c[m * problem_.n + n] = dot(a + m * problem_.k, w + n * problem_.k);
  }

 private:
  float dot(const float* x, const float* y) const noexcept {
    float sum = 0;
    for (std::int64_t k = 0; k < problem_.k; ++k) sum += x[k] * y[k];
    return sum;
  }

  Problem problem_;
  std::int64_t columns_;
};

class NaiveFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "naive"; }
  std::string version() const override { return "1"; }

  Support supports(const Problem& problem, const DeviceInfo& device) const override {
    if (device.kind != DeviceKind::cpu) return {"runs on CPUs only"};
    const Side f32{.type = DType::f32, .scaling = Scaling::none};
    if (problem.a != f32 || problem.w != f32 || problem.out != DType::f32) return {"f32 only"};
    if (problem.batch != 1) return {"no batches"};
    if (problem.bias) return {"no bias"};
    return {};
  }

  std::vector<Candidate> candidates(const Problem& problem, const DeviceInfo&) const override {
    const Space space = space_of(problem);
    std::vector<Candidate> candidates;
    for (const auto& point : space.points()) candidates.push_back(space.candidate("naive", point));
    return candidates;
  }

  std::unique_ptr<PreparedGemm> prepare(const Problem& problem, const Candidate& candidate,
                                        const DeviceInfo& device) const override {
    if (const auto support = supports(problem, device); !support) fail(ErrorCode::unsupported, "{}", support.why_not);
    const Space space = space_of(problem);
    const auto point = space.parse(candidate.name);
    if (!point || (*point)["nb"] < 1) fail(ErrorCode::unsupported, "'{}' names no kernel of naive", candidate.name);
    return std::make_unique<NaiveGemm>(problem, (*point)["nb"]);
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_naive_family() { return std::make_unique<NaiveFamily>(); }

}  // namespace gemmtune
