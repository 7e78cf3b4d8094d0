// For tests of a family of GPU kernels against the reference. They are skipped where no device runs the family.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/families/check/family_check.h"

namespace gemmtune::check {

class GpuFamilyTest : public testing::Test {
 protected:
  /// Where the family does not support `problem`, all tests are skipped, with the reason.
  GpuFamilyTest(std::unique_ptr<KernelFamily> family, std::string problem)
      : family_(std::move(family)), problem_(std::move(problem)) {}

  void SetUp() override {
    info_ = device_of(*family_);
    if (!info_) GTEST_SKIP() << "this machine has no such GPU";
    device_ = open_device(device_id(*info_));
    if (const auto support = family_->supports(parse_problem(problem_), *info_); !support)
      GTEST_SKIP() << support.why_not;
  }

  Candidate first(const Problem& problem) const { return family_->candidates(problem, *info_).front(); }

  std::string why_first_wrong(const std::string& text, Recipe recipe = Recipe::gaussian) const {
    return why_wrong(*family_, {.problem = text, .recipe = recipe, .seed = 5}, first(parse_problem(text)));
  }

  std::string why_first_wrong_on(const Problem& problem, const HostOperands& host, std::string_view what) const {
    return why_wrong_on(*family_, problem, host, first(problem), what);
  }

  std::unique_ptr<KernelFamily> family_;
  std::optional<DeviceInfo> info_;
  std::unique_ptr<Device> device_;

 private:
  std::string problem_;
};

}  // namespace gemmtune::check
