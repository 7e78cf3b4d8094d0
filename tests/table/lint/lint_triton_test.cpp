#include <gtest/gtest.h>

#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

LintInput triton(const std::string& text, const std::string& tag = "A8W8") {
  LintInput input;
  input.triton.push_back({.text = text, .file = parse_triton_json(text, "t.json"), .name = TritonName{.tag = tag}});
  return input;
}

TEST(LintTriton, DeadKeys) {
  const auto findings =
      found("triton-dead-key", triton("{\n  \"M_LEQ_8\": {},\n  \"M_LEQ_320\": {},\n  \"any\": {}\n}"));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].substr(0, 62), "3:3 no M reaches M_LEQ_320: 320 is not one of the bounds that ");
  EXPECT_EQ(found("triton-dead-key", triton(R"({"M_LEQ_8": {}, "M_GEQ_8": {}, "any": {}})")), Texts{})
      << "any does no harm";
}

TEST(LintTriton, KernelsThatAreNoGemmsHaveRulesOfTheirOwn) {
  LintInput input;
  input.triton.push_back({.text = R"({"M_LEQ_320": {}, "small_M": {}})"});
  input.triton.front().file = parse_triton_json(input.triton.front().text, "gfx942-MOE-DEFAULT.json");
  EXPECT_EQ(found("triton-dead-key", input), Texts{});
  EXPECT_EQ(found("triton-unserved", input), Texts{});
}

TEST(LintTriton, BoundsDependOnTheKernel) {
  const std::string text = R"({"M_LEQ_31": {}, "any": {}})";
  EXPECT_EQ(found("triton-dead-key", triton(text)).size(), 1U);
  EXPECT_EQ(found("triton-dead-key", triton(text, "AFP4WFP4_PRESHUFFLED")), Texts{});
}

TEST(LintTriton, SizesThatNothingServes) {
  EXPECT_EQ(found("triton-unserved", triton(R"({"M_LEQ_8": {}, "M_GEQ_64": {}})")),
            Texts{"1:1 no key serves M=9: the kernel fails there"});
  EXPECT_EQ(found("triton-unserved", triton(R"({"M_LEQ_8": {}, "M_GEQ_8": {}})")), Texts{});
}

}  // namespace
}  // namespace gemmtune
