#include <gtest/gtest.h>

#include <memory>

#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_openblas_family();

namespace {

class Openblas : public testing::TestWithParam<const char*> {
 protected:
  const std::unique_ptr<KernelFamily> family_{make_openblas_family()};
};

TEST_P(Openblas, EveryCandidateIsRight) {
  for (const Recipe recipe : {Recipe::gaussian, Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks,
                              Recipe::wide_rows, Recipe::nan_inf}) {
    EXPECT_EQ(check::why_any_wrong(*family_, {.problem = GetParam(), .recipe = recipe, .seed = 5}), "");
  }
}

TEST_P(Openblas, NamesRoundTrip) { EXPECT_EQ(check::why_names_wrong(*family_, parse_problem(GetParam())), ""); }

INSTANTIATE_TEST_SUITE_P(Problems, Openblas,
                         testing::Values("1x1x1:f32:f32:f32", "1x37x65:f32:f32:f32:bias", "8x129x257:f32:f32:f32",
                                         "17x33x70:f32:f32:f32:packed", "64x96x160:f32:f32:f32:bias:packed",
                                         "3x33x70:f32:f32:f32:batch=3:bias", "5x65x31:f32:f32:f32:batch=2:packed"));

INSTANTIATE_TEST_SUITE_P(
    Layouts, Openblas,
    testing::Values("5x33x65:f32:f32:f32:nn", "5x33x65:f32:f32:f32:tn", "5x33x65:f32:f32:f32:tt:packed",
                    "17x33x70:f32:f32:f32:nn:packed", "17x33x70:f32:f32:f32:tn:packed:bias",
                    "7x33x65:f32:f32:f32:lda=67:ldw=71:ldc=37:packed", "7x33x65:f32:f32:f32:nn:lda=67:ldw=35:ldc=37",
                    "7x33x65:f32:f32:f32:batch=3:tn:lda=9:ldw=35:ldc=37:stride_a=601:stride_w=2311:stride_c=301:packed",
                    "7x33x65:f32:f32:f32:batch=2:tt:stride_a=1001:stride_w=3001:stride_c=401"));

INSTANTIATE_TEST_SUITE_P(
    Epilogues, Openblas,
    testing::Values("5x33x65:f32:f32:f32:relu", "5x33x65:f32:f32:f32:gelu_tanh", "5x33x65:f32:f32:f32:gelu_erf",
                    "5x33x65:f32:f32:f32:silu", "5x33x65:f32:f32:f32:residual:packed", "5x33x65:f32:f32:f32:bias:silu",
                    "17x33x70:f32:f32:f32:batch=2:tn:ldc=37:stride_c=701:bias:gelu_erf:residual:packed"));

TEST(OpenblasCandidates, OnlyThoseThatMakeSense) {
  const auto family = make_openblas_family();
  const auto has = [&](const char* problem, const std::string& call) {
    for (const auto& name : check::candidate_names(*family, problem)) {
      if (name.find("_" + call + "_") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(has("4x64x64:f32:f32:f32", "nt"));
  EXPECT_TRUE(has("4x64x64:f32:f32:f32", "gemv"));
  EXPECT_FALSE(has("9x64x64:f32:f32:f32", "gemv"));
  EXPECT_FALSE(has("9x64x64:f32:f32:f32", "nn"));
  EXPECT_TRUE(has("9x64x64:f32:f32:f32:packed", "nn"));
  EXPECT_TRUE(has("9x64x64:f32:f32:f32:tn", "tn"));
  EXPECT_FALSE(has("9x64x64:f32:f32:f32:tn", "tt"));
  EXPECT_TRUE(has("9x64x64:f32:f32:f32:tn:packed", "tt"));
}

TEST(OpenblasCandidates, TheDefaultComesFirst) {
  const auto names = check::candidate_names(*make_openblas_family(), "9x64x64:f32:f32:f32:packed");
  ASSERT_FALSE(names.empty());
  EXPECT_TRUE(names.front().starts_with("openblas_f32_nt_t")) << names.front();
}

TEST(OpenblasRefusals, SayWhy) {
  const auto family = make_openblas_family();
  const auto why_not = [&](const char* problem) {
    return family->supports(parse_problem(problem), check::this_cpu()).why_not;
  };
  EXPECT_EQ(why_not("4x4x4:f32:f32:f32"), "");
  EXPECT_NE(why_not("4x4x4:bf16:bf16:f32").find("f32"), std::string::npos);
  EXPECT_NE(why_not("4x4x4:f32:f32:bf16").find("f32"), std::string::npos);
  EXPECT_NE(why_not("4x4x4:f32:f32:f32:lda=2147483648").find("leading dimension"), std::string::npos);
  EXPECT_EQ(family->supports(parse_problem("4x4x4:f32:f32:f32"), {.kind = DeviceKind::hip}).why_not,
            "runs on CPUs only");
  const auto refused = [&](const char* name) { return check::why_refused(*family, "9x4x4:f32:f32:f32", name); };
  EXPECT_NE(refused("openblas_f32_nn_t1").find("transposed"), std::string::npos);
  EXPECT_NE(refused("openblas_f32_gemv_t1").find("rows"), std::string::npos);
  EXPECT_NE(refused("openblas_f32_nt_t99999").find("cores"), std::string::npos);
}

TEST(OpenblasVersion, NamesTheLibrary) {
  const std::string version = make_openblas_family()->version();
  EXPECT_TRUE(version.starts_with("openblas ")) << version;
  EXPECT_EQ(version.find('?'), std::string::npos) << version;
}

}  // namespace
}  // namespace gemmtune
