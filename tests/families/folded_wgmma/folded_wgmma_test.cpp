// Tests against the reference. They need a Hopper GPU and are skipped elsewhere.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "tests/families/check/back_to_back.h"
#include "tests/families/check/compile_ahead.h"
#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_int8_family();
std::unique_ptr<KernelFamily> make_mxfp4_fp8_family();

namespace {

std::string a4w4(const std::string& sizes, const std::string& rest = "bf16:packed") {
  return sizes + ":e2m1/1x32:e2m1/1x32:" + rest;
}

class Mxfp4WgmmaTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    info_ = check::device_of(*family_);
    if (!info_) GTEST_SKIP() << "this machine has no NVIDIA GPU";
    device_ = open_device(device_id(*info_));
    if (const auto support = family_->supports(parse_problem(a4w4("64x64x64")), *info_); !support)
      GTEST_SKIP() << support.why_not;
  }

  /// Checks the family's first candidate.
  void expect_right(const std::string& problem, Recipe recipe = Recipe::gaussian) {
    const auto all = family_->candidates(parse_problem(problem), *info_);
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(check::why_wrong(*family_, {.problem = problem, .recipe = recipe, .seed = 5}, all.front()), "");
  }

  std::unique_ptr<KernelFamily> family_ = GetParam() ? make_mxfp4_int8_family() : make_mxfp4_fp8_family();
  std::optional<DeviceInfo> info_;
  std::unique_ptr<Device> device_;
};

/// Checks every `step`th candidate. Together these cover all tiles, clusters, orders, intervals and numbers of parts
/// along K.
TEST_P(Mxfp4WgmmaTest, CandidatesAreRightOnRaggedSizes) {
  constexpr std::size_t step = 7;
  for (const std::string sizes : {"300x520x416", "130x264x4128"}) {
    const auto all = family_->candidates(parse_problem(a4w4(sizes)), *info_);
    std::vector<Candidate> some;
    for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
    check::compile_ahead(*family_, a4w4(sizes), *info_, some);
    for (const auto& candidate : some)
      EXPECT_EQ(check::why_wrong(*family_, {.problem = a4w4(sizes), .seed = 3}, candidate), "");
  }
}

TEST_P(Mxfp4WgmmaTest, SizesThatNothingDivides) {
  for (const std::string sizes : {"1x1x32", "1x8x96", "129x257x32", "77x333x18816", "512x7x256", "3x4096x64"})
    expect_right(a4w4(sizes));
}

TEST_P(Mxfp4WgmmaTest, OutputsBiasAndBatches) {
  for (const std::string rest :
       {"f32:packed", "fp16:packed:bias", "f32:packed:bias", "bf16:packed:batch=3", "bf16:packed:batch=2:bias"}) {
    expect_right(a4w4("150x200x320", rest));
    expect_right(a4w4("150x201x320", rest));
  }
}

TEST_P(Mxfp4WgmmaTest, HardOperands) {
  for (const auto recipe : {Recipe::one_sign, Recipe::zero_blocks, Recipe::nan_scales})
    expect_right(a4w4("200x300x8192"), recipe);
  expect_right(a4w4("64x64x32768"), Recipe::one_sign);
}

/// The sizes give few tiles, parts along K, and more tiles than multiprocessors.
TEST_P(Mxfp4WgmmaTest, LaunchesBackToBackDoNotMeet) {
  for (const std::string sizes : {"128x256x1024", "256x512x8192", "2048x4352x512"}) {
    const auto all = family_->candidates(parse_problem(a4w4(sizes)), *info_);
    ASSERT_FALSE(all.empty());
    for (const auto& candidate : {all.front(), all.back()})
      EXPECT_EQ(check::why_back_to_back_wrong(*family_, {.problem = a4w4(sizes), .seed = 11}, candidate), "");
  }
}

TEST_P(Mxfp4WgmmaTest, NamesSayAll) {
  EXPECT_EQ(check::why_names_wrong(*family_, parse_problem(a4w4("256x1024x512"))), "");
}

INSTANTIATE_TEST_SUITE_P(Both, Mxfp4WgmmaTest, testing::Bool(),
                         [](const auto& int8) { return int8.param ? "int8" : "fp8"; });

}  // namespace
}  // namespace gemmtune
