#include "tests/families/check/folded_family_test.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_bf16_family();

namespace {

using check::mxfp4;

class Mxfp4Bf16 : public check::FoldedFamilyTest {
 protected:
  Mxfp4Bf16() : FoldedFamilyTest(make_mxfp4_bf16_family()) {}
};

TEST(Mxfp4Bf16Rules, SayWhatTheyDoNotDo) {
  const auto family = make_mxfp4_bf16_family();
  EXPECT_EQ(family->name(), "mxfp4_bf16");
  check::expect_refusals(*family);
  const auto why_not = [&](const char* problem) {
    return family->supports(parse_problem(problem), check::a_hopper()).why_not;
  };
  const std::string reason = "multiplies bf16 or e2m1/1x32 by e2m1/1x32 only";
  EXPECT_EQ(why_not("64x512x1024:bf16:bf16:bf16:packed"), reason);
  EXPECT_EQ(why_not("64x512x1024:fp16:e2m1/1x32:bf16:packed"), reason);
  EXPECT_NE(why_not("64x512x1024:bf16:e2m1/1x32:bf16:packed"), reason);
}

TEST_F(Mxfp4Bf16, ComputesEveryKindOfProblem) {
  for (const char* sizes : {"1x512x1024", "33x65x32", "129x257x96", "100x496x2080"})
    for (const char* rest : {"bf16:packed", "bf16:bias:packed", "fp16:packed", "fp16:bias:packed", "f32:packed"})
      expect_right({.problem = mxfp4(sizes, rest), .seed = 3}, 2);
  for (const char* rest : {"bf16:batch=3:packed", "fp16:batch=3:bias:packed"})
    expect_right({.problem = mxfp4("33x271x544", rest), .seed = 3}, 2);
}

/// Activations that are bf16 are not converted.
TEST_F(Mxfp4Bf16, TakesActivationsInBf16) {
  for (const char* problem : {"1x512x1024:bf16:e2m1/1x32:bf16:packed", "33x65x32:bf16:e2m1/1x32:f32:bias:packed",
                              "100x496x2080:bf16:e2m1/1x32:fp16:bias:batch=2:packed"})
    expect_right({.problem = problem, .seed = 3}, 2);
  for (const auto recipe : {Recipe::wide_exponents, Recipe::nan_scales, Recipe::nan_inf})
    expect_right({.problem = "65x513x4096:bf16:e2m1/1x32:bf16:packed", .recipe = recipe, .seed = 5}, 2);
}

TEST_F(Mxfp4Bf16, IsRightOnAllOperands) {
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::nan_scales})
    expect_right({.problem = mxfp4("65x513x4096", "bf16:packed"), .recipe = recipe, .seed = 5}, 2);
}

TEST_F(Mxfp4Bf16, IsWhatUsersHave) {
  const auto all = candidates(mxfp4("64x512x4096", "bf16:packed"));
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(all[0].is_default);
  EXPECT_TRUE(all[0].name.starts_with("mxfp4_bf16_plain_cublaslt_default_")) << all[0].name;
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_FALSE(all[i].is_default) << all[i].name;
}

}  // namespace
}  // namespace gemmtune
