// Against the reference, on a machine with a Hopper GPU; skipped elsewhere.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family();
std::unique_ptr<KernelFamily> make_mxfp4_fused_family();

namespace {

std::string a4w4(const std::string& sizes, const std::string& rest = "bf16:packed") {
  return sizes + ":e2m1/1x32:e2m1/1x32:" + rest;
}

class Mxfp4StreamTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    info_ = check::device_of(*family_);
    if (!info_) GTEST_SKIP() << "this machine has no NVIDIA GPU";
    device_ = open_device(device_id(*info_));
    if (const auto support = family_->supports(parse_problem(a4w4("16x64x64")), *info_); !support)
      GTEST_SKIP() << support.why_not;
  }

  bool is_skinny() const { return GetParam(); }

  std::string why_first_wrong(const std::string& problem, Recipe recipe = Recipe::gaussian) {
    const auto all = family_->candidates(parse_problem(problem), *info_);
    if (all.empty()) return "there are no candidates for " + problem;
    return check::why_wrong(*family_, {.problem = problem, .recipe = recipe, .seed = 5}, all.front());
  }

  std::unique_ptr<KernelFamily> family_ = GetParam() ? make_mxfp4_skinny_family() : make_mxfp4_fused_family();
  std::optional<DeviceInfo> info_;
  std::unique_ptr<Device> device_;
};

TEST_P(Mxfp4StreamTest, EachCandidateIsRightOnRaggedSizes) {
  for (const std::string sizes : {"13x520x4128", "7x1000x2080"})
    EXPECT_EQ(check::why_any_wrong(*family_, {.problem = a4w4(sizes), .seed = 3}), "");
  if (is_skinny()) return;
  for (const std::string sizes : {"61x520x4128", "125x200x2080", "150x130x1056"})
    EXPECT_EQ(check::why_any_wrong(*family_, {.problem = a4w4(sizes), .seed = 4}), "");
}

TEST_P(Mxfp4StreamTest, SizesThatNothingDivides) {
  for (const std::string sizes : {"1x1x32", "1x8x96", "16x257x32", "9x333x18816", "5x7x256", "3x4096x64"})
    EXPECT_EQ(why_first_wrong(a4w4(sizes)), "");
  if (is_skinny()) return;
  for (const std::string sizes : {"33x257x32", "129x333x18816", "300x7x256", "512x65x96"})
    EXPECT_EQ(why_first_wrong(a4w4(sizes)), "");
}

TEST_P(Mxfp4StreamTest, OutputsBiasAndBatches) {
  for (const std::string rest :
       {"f32:packed", "fp16:packed:bias", "f32:packed:bias", "bf16:packed:batch=3", "bf16:packed:bias:batch=2"})
    for (const std::string sizes : {"15x200x320", "15x201x1056"}) EXPECT_EQ(why_first_wrong(a4w4(sizes, rest)), "");
}

TEST_P(Mxfp4StreamTest, HardOperands) {
  const std::string m = is_skinny() ? "16" : "64";
  for (const auto recipe : {Recipe::one_sign, Recipe::zero_blocks, Recipe::nan_scales})
    EXPECT_EQ(why_first_wrong(a4w4(m + "x300x8192"), recipe), "");
  EXPECT_EQ(why_first_wrong(a4w4(m + "x64x32768"), Recipe::one_sign), "");
}

/// Blocks 24 binades apart, on both sides.
TEST_P(Mxfp4StreamTest, WideScalesAreExactOrRefused) {
  const auto problem = a4w4("16x300x4096", "f32:packed");
  for (const auto& candidate : family_->candidates(parse_problem(problem), *info_)) {
    const auto why =
        check::why_wrong(*family_, {.problem = problem, .recipe = Recipe::wide_exponents, .seed = 6}, candidate);
    if (candidate.name.find("_block_") != std::string::npos)
      EXPECT_EQ(why, "");
    else
      EXPECT_NE(why.find("of the weights spread"), std::string::npos) << why;
  }
}

TEST_P(Mxfp4StreamTest, NamesSayAll) {
  EXPECT_EQ(check::why_names_wrong(*family_, parse_problem(a4w4("16x1024x2048"))), "");
}

INSTANTIATE_TEST_SUITE_P(Both, Mxfp4StreamTest, testing::Bool(),
                         [](const auto& skinny) { return skinny.param ? "skinny" : "fused"; });

}  // namespace
}  // namespace gemmtune
