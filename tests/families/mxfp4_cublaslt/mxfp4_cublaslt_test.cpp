#include <algorithm>

#include "tests/families/check/folded_family_test.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_cublaslt_family();

namespace {

using check::mxfp4;

class Mxfp4Cublaslt : public check::FoldedFamilyTest {
 protected:
  Mxfp4Cublaslt() : FoldedFamilyTest(make_mxfp4_cublaslt_family()) {}
};

TEST(Mxfp4CublasltRules, SayWhatTheyDoNotDo) {
  const auto family = make_mxfp4_cublaslt_family();
  EXPECT_EQ(family->name(), "mxfp4_cublaslt");
  check::expect_refusals(*family);
}

TEST_F(Mxfp4Cublaslt, ComputesEveryKindOfProblem) {
  for (const char* sizes : {"1x512x1024", "33x272x32", "129x512x96", "100x496x2080"})
    for (const char* rest : {"bf16:packed", "bf16:bias:packed", "fp16:packed", "f32:packed"})
      expect_right({.problem = mxfp4(sizes, rest), .seed = 3}, 4);
  expect_right({.problem = mxfp4("36x272x544", "bf16:batch=3:packed"), .seed = 3}, 2);
}

TEST_F(Mxfp4Cublaslt, IsRightOnHardOperands) {
  for (const auto recipe : {Recipe::one_sign, Recipe::zero_blocks, Recipe::nan_scales})
    expect_right({.problem = mxfp4("64x512x4096", "bf16:packed"), .recipe = recipe, .seed = 5}, 2);
}

TEST_F(Mxfp4Cublaslt, RescuesActivationsThatDoNotFit) {
  const auto text = mxfp4("100x272x1056", "bf16:bias:packed");
  const auto problem = parse_problem(text);
  const auto all = candidates(text);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(check::why_wrong_on(*family_, problem, drawn(problem, Recipe::wide_exponents, Recipe::gaussian), all[i],
                                  "wide activations"),
              "");
}

TEST_F(Mxfp4Cublaslt, RefusesWeightsThatDoNotFit) {
  const auto text = mxfp4("100x272x1056", "bf16:packed");
  const auto problem = parse_problem(text);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto why = check::why_wrong_on(*family_, problem, drawn(problem, Recipe::gaussian, Recipe::wide_exponents),
                                         candidates(text)[i], "wide weights");
    EXPECT_NE(why.find("rows of the weights do not fit"), std::string::npos) << why;
  }
}

TEST_F(Mxfp4Cublaslt, OffersBothBasesAndBothWaysToAccumulate) {
  const auto all = candidates(mxfp4("64x512x4096", "bf16:packed"));
  ASSERT_GT(all.size(), 8U);
  EXPECT_LE(all.size(), 400U);
  EXPECT_TRUE(all[0].name.starts_with("mxfp4_cublaslt_row_cublaslt_default_")) << all[0].name;
  EXPECT_TRUE(all[1].name.starts_with("mxfp4_cublaslt_tensor_cublaslt_default_")) << all[1].name;
  for (const char* fast : {"_f0_", "_f1_"})
    EXPECT_TRUE(std::ranges::any_of(all, [&](const auto& one) { return one.name.find(fast) != std::string::npos; }));
  for (const auto& one : all) EXPECT_FALSE(one.is_default) << one.name;
  for (const auto& bad : {all[0].name + "0x", "x" + all[0].name, all[0].name.substr(0, all[0].name.rfind('_'))})
    EXPECT_NE(check::why_refused(*family_, mxfp4("64x512x4096", "bf16:packed"), bad), "") << bad;
}

}  // namespace
}  // namespace gemmtune
