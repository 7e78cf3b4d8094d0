// MXFP8 as kernels for Hopper multiply it, with a model of its tensor cores: folded, promoted each 128 of K, with the
// weights' scales at the end. Verification must allow that, and no more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gemmtune/gemm/mxfp8_fold.h"
#include "gemmtune/gemm/numeric.h"
#include "gemmtune/verify/verifier.h"
#include "hopper_tensor_core.h"
#include "naive.h"

namespace gemmtune {
namespace {

constexpr std::uint64_t seed = 5;
constexpr VerifyPolicy policy{};

std::vector<float> decoded(const std::vector<std::byte>& values) {
  std::vector<float> real;
  for (const std::byte value : values) real.push_back(e4m3_to_float(std::to_integer<std::uint8_t>(value)));
  return real;
}

class FoldedProduct {
 public:
  FoldedProduct(const Problem& problem, Recipe recipe)
      : problem_(problem),
        operands_(draw_operands(problem, recipe, seed)),
        a_(fold_mxfp8({operands_.a, operands_.a_scale}, problem.m, problem.k, problem.a, Mxfp8Base::group)),
        w_(fold_mxfp8({operands_.w, operands_.w_scale}, problem.n, problem.k, problem.w, Mxfp8Base::row)),
        a_values_(decoded(a_.values)),
        w_values_(decoded(w_.values)) {}

  /// Of `used` products of K.
  Verdict judge(std::int64_t used) const {
    std::vector<float> c;
    for (std::int64_t i = 0; i < problem_.m * problem_.n; ++i)
      c.push_back(element(i / problem_.n, i % problem_.n, used));
    return compare(problem_, compute_reference(problem_, operands_, policy, seed), naive::rounded(problem_, c), policy);
  }

 private:
  float element(std::int64_t m, std::int64_t n, std::int64_t used) const {
    float sum = 0;
    const auto groups = std::ssize(a_.scales) / problem_.m;
    for (std::int64_t k = 0; k < used; k += mxfp8_group) {
      const auto count = static_cast<std::size_t>(std::min(mxfp8_group, used - k));
      const std::span<const float> a(a_values_.data() + m * problem_.k + k, count);
      const std::span<const float> w(w_values_.data() + n * problem_.k + k, count);
      const auto products = static_cast<float>(hopper::accumulate(hopper::tensor_core_of(DType::e4m3), a, w));
      sum += products * a_.scales[m * groups + k / mxfp8_group];
    }
    return sum * w_.scales[n];
  }

  Problem problem_;
  HostOperands operands_;
  FoldedMxfp8 a_;
  FoldedMxfp8 w_;
  std::vector<float> a_values_;
  std::vector<float> w_values_;
};

class FoldedMxfp8Test : public testing::TestWithParam<std::string> {
 protected:
  static Problem problem(std::int64_t k) { return parse_problem(fmt::format("5x40x{}:{}", k, GetParam())); }
};

INSTANTIATE_TEST_SUITE_P(Formats, FoldedMxfp8Test,
                         testing::Values("mxfp8", "e4m3/1x32:e4m3/1x32:f32", "e4m3/1x32:e4m3/32x32:f32"));

TEST_P(FoldedMxfp8Test, IsRight) {
  for (const Recipe recipe : {Recipe::gaussian, Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks,
                              Recipe::wide_rows, Recipe::nan_scales, Recipe::nan_inf})
    for (const std::int64_t k : {32, 128, 416, 4096}) {
      const auto verdict = FoldedProduct(problem(k), recipe).judge(k);
      EXPECT_EQ(verdict.why_wrong, "") << to_string(recipe) << ' ' << k;
      const double most = problem(k).out == DType::f32 ? 0.75 : 1;  // whose own rounding hides nothing
      EXPECT_LE(verdict.accuracy.worst_share_of_bound, most) << to_string(recipe);
    }
}

TEST_P(FoldedMxfp8Test, AMissingStepOfKIsStillFound) {
  for (const std::int64_t k : {416, 4096})
    EXPECT_NE(FoldedProduct(problem(k), Recipe::gaussian).judge(k - 32).why_wrong, "") << k;
}

}  // namespace
}  // namespace gemmtune
