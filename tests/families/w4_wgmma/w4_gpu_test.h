// What the tests of both families on a GPU share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/w4_space.h"
#include "tests/families/check/compile_ahead.h"
#include "tests/families/check/gpu_family_test.h"
#include "tests/families/w4_wgmma/a16w4.h"
#include "tests/support/covering_pairs.h"

namespace gemmtune {

class W4GpuTest : public check::GpuFamilyTest {
 protected:
  /// `text_of(sizes, rest)` is a problem of the family.
  using TextOf = std::string (*)(const std::string& sizes, const std::string& rest);

  W4GpuTest(std::unique_ptr<KernelFamily> family, TextOf text_of)
      : GpuFamilyTest(std::move(family), text_of("16x64x128", "bf16")), text_of_(text_of) {}

  /// The tiles that would be tried for sizes `tiles_of` multiply `sizes` instead.
  void expect_tiles_right(const std::string& tiles_of, const std::string& sizes) const {
    const check::Case one{.problem = text_of_(sizes, "bf16"), .seed = 3};
    const Space space = w4_space(parse_problem(text_of_(tiles_of, "bf16")), *info_);
    std::vector<Candidate> candidates;
    for (const auto& point : covering_pairs(space.points()))
      candidates.push_back(space.candidate(std::string(family_->name()), point));
    expect_right(one, candidates);
  }

  void expect_all_candidates_right(const std::string& sizes) const {
    const check::Case one{.problem = text_of_(sizes, "bf16"), .seed = 4};
    expect_right(one, family_->candidates(parse_problem(one.problem), *info_));
  }

 private:
  void expect_right(const check::Case& one, const std::vector<Candidate>& candidates) const {
    check::compile_ahead(*family_, one.problem, *info_, candidates);
    for (const auto& candidate : candidates) EXPECT_EQ(check::why_wrong(*family_, one, candidate), "");
  }

  TextOf text_of_;
};

}  // namespace gemmtune
