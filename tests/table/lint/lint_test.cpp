#include "gemmtune/table/lint/lint.h"

#include <gtest/gtest.h>

#include <set>

#include "gemmtune/core/error.h"
#include "tests/support/aiter_files.h"
#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

LintInput input_of(const std::string& text) {
  LintInput input;
  input.tables.push_back(lint_table_of(text, "a4w4_tuned.csv"));
  return input;
}

TEST(Lint, ACleanTableHasNoFindings) { EXPECT_EQ(texts_of(lint(input_of(a4w4_header + good_row))), Texts{}); }

TEST(Lint, FindingsComeInTheOrderOfTheFile) {
  const auto findings = lint(input_of(a4w4_header + good_row + "gfx950,80,2,512,4096,21,0,0,k,0,0,0.9\n"));
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].rule, "device-contradiction");
  EXPECT_EQ(findings[1].rule, "no-time");
  EXPECT_EQ(findings[2].rule, "wrong-result");
  EXPECT_EQ(findings[0].place, (Place{"a4w4_tuned.csv", 3, 8}));
  EXPECT_EQ(findings[0].severity, Severity::error);
}

TEST(Lint, RulesAreChosenAndIgnored) {
  const auto input = input_of(a4w4_header + "gfx950,256,2,512,4096,21,0,0,k,0,0,0.9\n");
  EXPECT_EQ(lint(input, {.only = {"no-time"}}).size(), 1U);
  EXPECT_EQ(lint(input, {.ignored = {"no-time"}}).front().rule, "wrong-result");
  EXPECT_EQ(lint(input, {.only = {"no-time"}, .ignored = {"no-time"}}).size(), 0U);
  EXPECT_THROW(lint(input, {.only = {"no-such-rule"}}), Error);
}

TEST(Lint, RulesHaveDistinctNames) {
  std::set<std::string_view> names;
  for (const auto& rule : lint_rules()) EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
}

/// Findings that AITER's own tables are known to have.
TEST(Lint, AiterTables) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_CONFIGS");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_CONFIGS names no folder";
  const auto count = [&](const std::string& file, const std::string& rule) {
    LintInput input;
    input.tables.push_back(read_lint_table(*folder / file));
    return lint(input, {.only = {rule}}).size();
  };
  EXPECT_EQ(count("model_configs/dsv3_bf16_tuned_gemm.csv", "no-time"), 114U);
  EXPECT_EQ(count("model_configs/gptoss_bf16_tuned_gemm.csv", "no-time"), 128U);
  EXPECT_EQ(count("model_configs/a8w8_blockscale_tuned_gemm_qwen3_5_397b_a13b.csv", "tflops-contradiction"), 85U);
  EXPECT_EQ(count("a8w8_tuned_gemm.csv", "wrong-result"), 17U);
  EXPECT_EQ(count("a8w8_bpreshuffle_tuned_gemm.csv", "wrong-result"), 14U);
  EXPECT_EQ(count("a4w4_blockscale_tuned_gemm.csv", "two-ids"), 4U);
  EXPECT_EQ(count("model_configs/dsv4_fp8fp4_tuned_fmoe.csv", "short-row"), 8U);
  EXPECT_EQ(count("model_configs/dsv4_fp8fp4_tuned_fmoe.csv", "shifted-columns"), 8U);
  EXPECT_EQ(count("model_configs/glm5_fp4_tuned_fmoe.csv", "shifted-columns"), 0U);
  EXPECT_EQ(count("a8w8_blockscale_tuned_gemm.csv", "bw-contradiction"), 0U);
  EXPECT_EQ(count("model_configs/glm5_fp4_tuned_fmoe.csv", "short-row"), 11U);
}

}  // namespace
}  // namespace gemmtune
