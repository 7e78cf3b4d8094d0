// Tests against the reference. They need a Hopper GPU and are skipped elsewhere.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/families/check/back_to_back.h"
#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_mxfp4_skinny_family();
std::unique_ptr<KernelFamily> make_mxfp4_fused_family();

namespace {

std::string a4w4(const std::string& sizes, const std::string& rest = "bf16:packed") {
  return sizes + ":e2m1/1x32:e2m1/1x32:" + rest;
}

class SmallMTest : public testing::TestWithParam<bool> {
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

  std::string why_first_wrong_on(const Problem& problem, const HostOperands& host, std::string_view what) {
    return check::why_wrong_on(*family_, problem, host, family_->candidates(problem, *info_).front(), what);
  }

  std::unique_ptr<KernelFamily> family_ = GetParam() ? make_mxfp4_skinny_family() : make_mxfp4_fused_family();
  std::optional<DeviceInfo> info_;
  std::unique_ptr<Device> device_;
};

TEST_P(SmallMTest, EachCandidateIsRightOnRaggedSizes) {
  for (const std::string sizes : {"13x520x4128", "7x1000x2080", "33x200x1056"})
    EXPECT_EQ(check::why_any_wrong(*family_, {.problem = a4w4(sizes), .seed = 3}), "");
  if (is_skinny()) return;
  for (const std::string sizes : {"61x520x4128", "125x200x2080", "150x130x1056"})
    EXPECT_EQ(check::why_any_wrong(*family_, {.problem = a4w4(sizes), .seed = 4}), "");
}

TEST_P(SmallMTest, SizesThatNothingDivides) {
  for (const std::string sizes : {"1x1x32", "1x8x96", "16x257x32", "9x333x18816", "5x7x256", "3x4096x64"})
    EXPECT_EQ(why_first_wrong(a4w4(sizes)), "");
  if (is_skinny()) return;
  for (const std::string sizes : {"33x257x32", "129x333x18816", "300x7x256", "512x65x96"})
    EXPECT_EQ(why_first_wrong(a4w4(sizes)), "");
}

TEST_P(SmallMTest, OutputsBiasAndBatches) {
  for (const std::string rest :
       {"f32:packed", "fp16:packed:bias", "f32:packed:bias", "bf16:packed:batch=3", "bf16:packed:bias:batch=2"})
    for (const std::string sizes : {"15x200x320", "15x201x1056"}) EXPECT_EQ(why_first_wrong(a4w4(sizes, rest)), "");
}

TEST_P(SmallMTest, HardOperands) {
  const std::string m = is_skinny() ? "16" : "64";
  for (const auto recipe : {Recipe::one_sign, Recipe::zero_blocks, Recipe::nan_scales})
    EXPECT_EQ(why_first_wrong(a4w4(m + "x300x8192"), recipe), "");
  EXPECT_EQ(why_first_wrong(a4w4(m + "x64x32768"), Recipe::one_sign), "");
}

/// Scales of blocks 24 binades apart. mxfp4_skinny is exact, even with such weights. mxfp4_fused refuses such weights,
/// and computes such activations another way.
TEST_P(SmallMTest, WideScalesAreExactOrRefused) {
  const auto text = a4w4("16x300x4096", "f32:packed");
  const auto problem = parse_problem(text);
  const auto wide = draw_operands(problem, Recipe::wide_exponents, 6);
  auto only_a = draw_operands(problem, Recipe::gaussian, 6);
  only_a.a = wide.a;
  only_a.a_scale = wide.a_scale;
  EXPECT_EQ(why_first_wrong_on(problem, only_a, "wide activations"), "");
  for (const auto& candidate : family_->candidates(problem, *info_)) {
    const auto why =
        check::why_wrong(*family_, {.problem = text, .recipe = Recipe::wide_exponents, .seed = 6}, candidate);
    if (is_skinny())
      EXPECT_EQ(why, "");
    else
      EXPECT_NE(why.find("of the weights spread"), std::string::npos) << why;
  }
}

void shift(std::vector<std::byte>& scales, std::size_t first, std::size_t step, std::size_t length, int binades) {
  for (std::size_t row = first; row * length < scales.size(); row += step)
    for (std::size_t i = row * length; i < (row + 1) * length; ++i)
      scales[i] = std::byte(std::to_integer<int>(scales[i]) + binades);
}

/// Activations at the ends of E8M0's range: intermediate products leave float's range, although C is within it.
TEST_P(SmallMTest, ActivationsFarFromOneAreRight) {
  constexpr std::size_t blocks = 4128 / 32;
  const auto problem = parse_problem(a4w4("15x130x4128", "f32:packed"));
  for (const auto& [a, w] : {std::pair{118, -60}, std::pair{-118, 100}, std::pair{-100, 110}}) {
    auto host = draw_operands(problem, Recipe::gaussian, 8);
    shift(host.a_scale, 1, 3, blocks, a);
    shift(host.w_scale, 0, 1, blocks, w);
    EXPECT_EQ(why_first_wrong_on(problem, host, "scales far from 1"), "") << a << " and " << w << " binades";
  }
}

TEST_P(SmallMTest, LaunchesThatFollowEachOtherDoNotMeet) {
  for (const std::string sizes : {"16x8192x4096", "13x520x28672"}) {
    const check::Case one{.problem = a4w4(sizes), .seed = 9};
    const auto all = family_->candidates(parse_problem(one.problem), *info_);
    EXPECT_EQ(check::why_back_to_back_wrong(*family_, one, all.front()), "");
  }
}

TEST_P(SmallMTest, NamesSayAll) {
  EXPECT_EQ(check::why_names_wrong(*family_, parse_problem(a4w4("16x1024x2048"))), "");
}

INSTANTIATE_TEST_SUITE_P(Both, SmallMTest, testing::Bool(),
                         [](const auto& skinny) { return skinny.param ? "skinny" : "fused"; });

}  // namespace
}  // namespace gemmtune
