// What the tests of those families share that convert MXFP4 to another type on NVIDIA GPUs.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "gemmtune/core/error.h"
#include "tests/families/check/family_check.h"

namespace gemmtune::check {

inline std::string mxfp4(std::string_view sizes, std::string_view rest) {
  return fmt::format("{}:e2m1/1x32:e2m1/1x32:{}", sizes, rest);
}

inline const DeviceInfo& a_hopper() {
  static const DeviceInfo info{.kind = DeviceKind::cuda, .arch = "sm90"};
  return info;
}

/// Checks each reason for which such a family refuses a problem; needs no GPU.
inline void expect_refusals(const KernelFamily& family) {
  const auto why_not = [&](const std::string& problem, DeviceInfo device) {
    return family.supports(parse_problem(problem), device).why_not;
  };
  const auto usual = mxfp4("64x512x1024", "bf16:packed");
  EXPECT_NE(why_not(usual, this_cpu()).find("NVIDIA"), std::string::npos);
  EXPECT_NE(why_not(usual, {.kind = DeviceKind::cuda, .arch = "sm80"}).find("sm90"), std::string::npos);
  EXPECT_NE(why_not(mxfp4("64x512x1024", "bf16"), a_hopper()).find("packed"), std::string::npos);
  EXPECT_NE(why_not("64x512x1024:bf16:bf16:bf16:packed", a_hopper()).find("e2m1"), std::string::npos);
  EXPECT_NE(why_not(mxfp4("64x512x1040", "bf16:packed"), a_hopper()).find("K % 32"), std::string::npos);
  for (const char* name : {"", "x", "mxfp4", "cublaslt_default_a66"})
    EXPECT_THROW(static_cast<void>(family.prepare(parse_problem(usual), {.name = name}, a_hopper())), Error) << name;
}

/// Opens the GPU, so that its context is current on this thread.
class FoldedFamilyTest : public testing::Test {
 protected:
  explicit FoldedFamilyTest(std::unique_ptr<KernelFamily> family) : family_(std::move(family)) {}

  void SetUp() override {
    info_ = device_of(*family_);
    if (!info_) GTEST_SKIP() << "this machine has no NVIDIA GPU";
    if (!info_->arch.starts_with("sm90")) GTEST_SKIP() << "this machine's GPU is no Hopper";
    device_ = open_device(device_id(*info_));
  }

  std::vector<Candidate> candidates(const std::string& problem) const {
    return family_->candidates(parse_problem(problem), *info_);
  }

  /// Checks the first `count` candidates.
  void expect_right(const Case& one, std::size_t count) const {
    const auto support = family_->supports(parse_problem(one.problem), *info_);
    ASSERT_TRUE(support) << one.text() << ": " << support.why_not;
    const auto all = candidates(one.problem);
    ASSERT_FALSE(all.empty()) << one.text();
    for (std::size_t i = 0; i < std::min(count, all.size()); ++i) EXPECT_EQ(why_wrong(*family_, one, all[i]), "");
  }

  /// Operands with activations of one recipe and weights of another.
  HostOperands drawn(const Problem& problem, Recipe a, Recipe w) const {
    auto operands = draw_operands(problem, w, 5);
    const auto activations = draw_operands(problem, a, 5);
    operands.a = activations.a;
    operands.a_scale = activations.a_scale;
    return operands;
  }

  std::unique_ptr<KernelFamily> family_;
  std::optional<DeviceInfo> info_;
  std::unique_ptr<Device> device_;
};

}  // namespace gemmtune::check
