#include <gtest/gtest.h>

#include <memory>

#include "gemmtune/core/error.h"
#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_onednn_family();

namespace {

using check::Case;

class Onednn : public testing::TestWithParam<const char*> {
 protected:
  const std::unique_ptr<KernelFamily> family_{make_onednn_family()};
};

TEST_P(Onednn, EveryCandidateIsRight) {
  EXPECT_EQ(check::why_any_wrong(*family_, {.problem = GetParam(), .seed = 7}), "");
}

TEST_P(Onednn, NamesRoundTrip) { EXPECT_EQ(check::why_names_wrong(*family_, parse_problem(GetParam())), ""); }

TEST_P(Onednn, StartsWithItsDefault) {
  const auto names = check::candidate_names(*family_, GetParam());
  ASSERT_FALSE(names.empty());
  EXPECT_NE(names.front().find("_plain_t" + std::to_string(check::this_cpu().cu_num)), std::string::npos)
      << names.front();
}

INSTANTIATE_TEST_SUITE_P(
    Problems, Onednn,
    testing::Values("1x1x1:f32:f32:f32", "1x37x65:f32:f32:f32", "17x129x257:f32:f32:f32:bias", "33x5x70:f32:f32:bf16",
                    "64x96x160:f32:f32:f32:packed", "31x257x33:f32:f32:f32:bias:packed", "7x19x23:f32:f32:fp16:bias",
                    "3x33x70:f32:f32:f32:batch=3:bias", "5x65x31:f32:f32:f32:batch=2:packed",  //
                    "17x33x65:bf16:bf16:bf16", "5x130x257:bf16:bf16:f32:bias", "9x31x64:bf16:bf16:bf16:packed:bias",
                    "4x17x40:bf16:bf16:bf16:batch=3", "17x33x65:fp16:fp16:fp16:bias", "3x65x19:fp16:fp16:f32:packed",
                    "17x33x65:int8/row:int8/row:bf16", "5x130x257:int8/tensor:int8/tensor:fp16:bias",
                    "9x31x64:int8/row:int8/row:f32:packed:bias", "4x17x40:int8/row:int8/row:bf16:batch=3:bias",
                    "17x33x65:e4m3/row:e4m3/row:bf16", "5x130x257:e4m3/tensor:e4m3/row:fp16:bias:packed",
                    "6x20x34:e4m3fnuz/row:e4m3fnuz/row:f32:batch=2", "17x200x300:e4m3/1x128:e4m3/128x128:bf16",
                    "5x130x256:e4m3/1x128:e4m3/128x128:f32:packed:batch=2", "17x33x64:e2m1/1x32:e2m1/1x32:bf16:packed",
                    "5x65x70:e2m1/1x32:e2m1/1x32:f32:bias", "4x17x96:e2m1/1x32:e2m1/1x32:bf16:batch=3:packed:bias",
                    "6x40x64:bf16:e2m1/1x32:bf16:packed"));

INSTANTIATE_TEST_SUITE_P(
    Layouts, Onednn,
    testing::Values("5x33x65:f32:f32:f32:nn", "5x33x65:f32:f32:f32:tn:packed", "17x33x70:f32:f32:f32:tt:bias",
                    "7x33x65:f32:f32:f32:lda=67:ldw=71:ldc=37:packed", "7x33x65:f32:f32:f32:nn:lda=67:ldw=35:ldc=37",
                    "7x33x65:f32:f32:f32:batch=3:tn:lda=9:ldw=35:ldc=37:stride_a=601:stride_w=2311:stride_c=301",
                    "7x33x65:f32:f32:f32:batch=2:tt:stride_a=1001:stride_w=3001:stride_c=401:packed",
                    "7x33x65:bf16:bf16:bf16:nn:lda=67:ldw=35:ldc=37", "7x33x65:fp16:fp16:fp16:tn:ldc=37:packed",
                    "7x33x65:bf16:bf16:f32:batch=2:tt:lda=9:ldw=71:ldc=37:stride_a=601:stride_c=401:bias",
                    "7x33x65:int8/row:int8/row:bf16:tn:lda=9:ldw=35:ldc=37",
                    "7x33x65:e4m3/row:e4m3/row:f32:batch=2:tn:lda=9:stride_c=401:packed",
                    "5x130x256:e4m3/1x128:e4m3/128x128:f32:nn:ldw=135:packed",
                    "5x130x256:e4m3/1x128:e4m3/128x128:bf16:batch=2:tt:lda=6:stride_a=2001",
                    "5x65x70:e2m1/1x32:e2m1/1x32:f32:batch=2:lda=74:ldw=72:ldc=67:stride_w=5000:packed"));

INSTANTIATE_TEST_SUITE_P(
    Epilogues, Onednn,
    testing::Values("5x33x65:f32:f32:f32:relu", "5x33x65:f32:f32:f32:gelu_tanh", "5x33x65:f32:f32:f32:gelu_erf",
                    "5x33x65:f32:f32:f32:silu", "5x33x65:f32:f32:f32:residual:packed", "5x33x65:f32:f32:f32:bias:silu",
                    "17x33x70:f32:f32:f32:batch=2:tn:ldc=37:stride_c=701:bias:gelu_erf:residual:packed",
                    "5x33x65:bf16:bf16:bf16:gelu_tanh:residual", "5x33x65:fp16:fp16:f32:bias:silu:residual",
                    "5x33x65:f32:f32:bf16:bias:relu:residual:ldc=37",
                    "5x33x65:int8/row:int8/row:bf16:bias:gelu_erf:residual",
                    "5x65x70:e2m1/1x32:e2m1/1x32:bf16:batch=2:ldc=67:silu:residual:packed"));

TEST(OnednnRecipes, ScalesApartAndNaN) {
  const auto family = make_onednn_family();
  for (const Recipe recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::nan_scales}) {
    for (const char* problem : {"19x67x128:e2m1/1x32:e2m1/1x32:bf16:packed", "19x67x96:e2m1/1x32:e2m1/1x32:f32"}) {
      EXPECT_EQ(check::why_any_wrong(*family, {.problem = problem, .recipe = recipe, .seed = 3}), "");
    }
  }
}

TEST(OnednnRecipes, AllAcrossFormats) {
  const auto family = make_onednn_family();
  for (const Recipe recipe :
       {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf})
    for (const char* problem : {"9x33x300:f32:f32:f32", "9x33x300:f32:f32:f32:bias:relu:packed",
                                "9x33x300:int8/row:int8/row:f32", "9x33x300:bf16:bf16:bf16", "9x33x300:fp16:fp16:fp16",
                                "9x33x300:e4m3/row:e4m3/row:bf16", "9x140x300:e4m3/1x128:e4m3/128x128:bf16:packed",
                                "9x33x320:e2m1/1x32:e2m1/1x32:bf16:packed", "9x33x320:bf16:e2m1/1x32:bf16:packed"})
      EXPECT_EQ(check::why_any_wrong(*family, {.problem = problem, .recipe = recipe, .seed = 4}), "");
}

TEST(OnednnRefusals, SayWhy) {
  const auto family = make_onednn_family();
  const auto refused = [&](const char* problem, const char* name) {
    return check::why_refused(*family, problem, name);
  };
  EXPECT_NE(refused("4x4x4:f32:f32:f32", "onednn_f32_blocked_t1").find("packed ahead"), std::string::npos);
  EXPECT_NE(refused("4x4x4:f32:f32:f32:packed", "onednn_f32_reordered_t1").find("packed ahead"), std::string::npos);
  EXPECT_NE(refused("4x4x4:f32:f32:f32", "onednn_f32_plain_t100000").find("cores"), std::string::npos);
  EXPECT_NE(refused("4x4x4:f32:f32:f32", "onednn_f32_plain_t0").find("cores"), std::string::npos);
  EXPECT_NE(refused("4x4x4:f32:f32:f32", "onednn_deqf32_plain_t1").find("no kernel"), std::string::npos);
}

TEST(OnednnRefusals, RunsOnCpusOnly) {
  const auto family = make_onednn_family();
  const Support support = family->supports(parse_problem("4x4x4:f32:f32:f32"), {.kind = DeviceKind::cuda});
  EXPECT_EQ(support.why_not, "runs on CPUs only");
}

TEST(OnednnRefusals, TheLibrarysOwnReason) {
  const auto family = make_onednn_family();
  if (check::this_cpu().has("avx512bw")) GTEST_SKIP() << "this CPU can multiply bf16";
  const std::string why = check::why_refused(*family, "4x4x4:bf16:bf16:bf16", "onednn_bf16_plain_t1");
  EXPECT_NE(why.find("oneDNN"), std::string::npos) << why;
}

TEST(OnednnVersion, NamesLibraryAndThreading) {
  const std::string version = make_onednn_family()->version();
  EXPECT_TRUE(version.starts_with("onednn ")) << version;
  EXPECT_NE(version.find("(omp)"), std::string::npos) << version;
}

}  // namespace
}  // namespace gemmtune
