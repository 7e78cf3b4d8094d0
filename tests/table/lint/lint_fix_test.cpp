#include "gemmtune/table/lint/lint_fix.h"

#include <gtest/gtest.h>

#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

FixedTable fixed(const std::string& text, const std::string& name = "a4w4_tuned.csv") {
  return lint_fix(lint_table_of(text, name));
}

Texts changes(const FixedTable& table) {
  Texts texts;
  for (const auto& [place, what] : table.changes)
    texts.push_back(fmt::format("{}:{} {}", place.line, place.column, what));
  return texts;
}

TEST(LintFix, ACleanTableStaysToTheByte) {
  const auto table = fixed(a4w4_header + good_row);
  EXPECT_EQ(table.text, a4w4_header + good_row);
  EXPECT_EQ(changes(table), Texts{});
  EXPECT_EQ(table.rows_changed, 0U);
}

TEST(LintFix, DropsWhatIsNeverServed) {
  const auto table = fixed(a4w4_header + "gfx950,256,1,512,4096,21,0,6,k,0.7,175.27,0.0\n" + good_row +
                           "gfx950,256,2,512,4096,21,0,0,k,0,0,0.0\ngfx950,256,2,0,4096,21,0,3,k,0,0,0.0\n"
                           "gfx942,256,2,512,4096,21,0,3,k,0,0,0.0\n");
  EXPECT_EQ(table.text, a4w4_header + good_row);
  EXPECT_EQ(table.rows_before, 5U);
  EXPECT_EQ(table.rows_after, 1U);
  ASSERT_EQ(table.changes.size(), 4U);
  EXPECT_EQ(changes(table)[0],
            "2:12 dropped: never served: line 3 has the same key and is faster (5.4049 us, here 6 us)");
}

TEST(LintFix, ComputesRatesAnew) {
  const auto table = fixed(a4w4_header + "gfx950,256,1,512,4096,21,0,5.4049,k,0.9,0,0.0\n");
  EXPECT_EQ(table.text, a4w4_header + good_row);
  EXPECT_EQ(changes(table), (Texts{"2:37 tflops: 0.78 instead of '0.9'", "2:41 bw: 194.57 instead of '0'"}));
  EXPECT_EQ(table.rows_changed, 1U);
}

/// Findings of severity error, by rule.
Texts errors_of(const std::string& text) {
  LintInput input;
  input.tables.push_back(lint_table_of(text, "a4w4_tuned.csv"));
  Texts rules;
  for (const auto& finding : lint(input))
    if (finding.severity == Severity::error) rules.push_back(finding.rule);
  return rules;
}

TEST(LintFix, NeverHidesADamagedLine) {
  const std::string no_name = "gfx950,256,1,512,4096,21,0,5.4049,0.78,194.57,0.0\n";
  const std::string no_split = "gfx950,256,1,512,4096,21,5.4049,k,0.78,194.57,0.0\n";
  const std::string cut = "gfx950,256,1,512,4096,21,0,1.25";
  const std::string one_too_many = "gfx950,256,1,512,4096,21,0,0,5.4049,k,0.78,194.57,0.0\n";
  for (const auto& line : {no_name, no_split, cut + "\n", one_too_many}) {
    SCOPED_TRACE(line);
    const auto text = a4w4_header + line;
    ASSERT_FALSE(errors_of(text).empty());
    const auto table = fixed(text);
    EXPECT_EQ(table.text, text);
    EXPECT_EQ(table.lines_left, 1U);
    EXPECT_EQ(table.rows_after, 0U);
    EXPECT_EQ(errors_of(table.text), errors_of(text));
  }
  EXPECT_EQ(fixed(a4w4_header + cut).text, a4w4_header + cut + "\n") << "without its end of line";
}

TEST(LintFix, NoRowIsJudgedByADamagedOne) {
  const std::string shifted =
      "gfx950,256,1,512,4096,21,0,0,1.25,k,0.78,194.57\n";  // one 0 too many, the last cell lost
  ASSERT_EQ(found("shifted-columns", a4w4_header + shifted).size(), 1U);
  const auto table = fixed(a4w4_header + shifted + good_row);
  EXPECT_EQ(table.text, a4w4_header + shifted + good_row);
}

TEST(LintFix, TidiesTheLayout) {
  const auto table = fixed("M,N,K,calls\r\n\r\n 1,2\t,3,\r\n1,2,3,x\r\n4,5,6,\"a,b\",,", "shapes.csv");
  EXPECT_EQ(table.text, "M,N,K,calls\n1,2,3,\n4,5,6,\"a,b\"\n");
  EXPECT_EQ(changes(table), Texts{"4:1 dropped: line 3 has the same key"});
}

TEST(LintFix, DoingItTwiceChangesNothingMore) {
  const auto once = fixed(a4w4_header + "gfx950,256,1,512,4096,21,0,6,k,0.9,1,0.0\r\n" + good_row + good_row);
  const auto twice = fixed(once.text);
  EXPECT_EQ(twice.text, once.text);
  EXPECT_TRUE(twice.changes.empty());
}

}  // namespace
}  // namespace gemmtune
