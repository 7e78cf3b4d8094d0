// A complete kernel family in one file: f32 GEMM in plain loops, tunable in how many columns it works on at a time.
// docs/adding-a-family.md walks through it.
#include <algorithm>
#include <cstdint>

#include "gemmtune/families/space_family.h"

namespace gemmtune {
namespace {

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

class NaiveFamily final : public SpaceFamily {
 public:
  std::string_view name() const override { return "naive"; }
  std::string version() const override { return "1"; }

  /// Of the features that a problem may ask for besides its sizes, this family handles f32 operands alone.
  FeatureSet features() const override { return {feature_of(DType::f32), feature_of(Scaling::none)}; }

 private:
  std::string why_not(const Problem&, const DeviceInfo&) const override { return {}; }

  Space space(const Problem& problem, const DeviceInfo&) const override {
    return Space("naive_f32", {numeric_axis("nb", {8, 1, 32, 128})},
                 {{"a block wider than N wastes work",
                   [n = problem.n](const Point& p) { return p["nb"] <= std::max<std::int64_t>(n, 8); }}});
  }

  /// A block wider than N is slow, not wrong: names with such a block are accepted.
  std::string why_no_kernel(const Problem&, const DeviceInfo&, const Point& point) const override {
    return point["nb"] < 1 ? "a block has at least one column" : "";
  }

  std::unique_ptr<PreparedGemm> make_at(const Problem& problem, const DeviceInfo&, const Point& point) const override {
    return std::make_unique<NaiveGemm>(problem, point["nb"]);
  }
};

}  // namespace

std::unique_ptr<KernelFamily> make_naive_family() { return std::make_unique<NaiveFamily>(); }

}  // namespace gemmtune
