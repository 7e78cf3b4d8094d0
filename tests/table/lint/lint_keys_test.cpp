#include <gtest/gtest.h>

#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

std::string row(std::string_view m, std::string_view us) {
  return fmt::format("gfx950,256,{},512,4096,21,0,{},k,0,0,0.0\n", m, us);
}

TEST(LintKeys, TheFastestShadowsTheOthers) {
  EXPECT_EQ(found("shadowed-row", a4w4_header + row("1", "5.5") + row("1", "5.4") + row("2", "1") + row("1.0", "0")),
            (Texts{"2:12 never served: line 3 has the same key and is faster (5.4 us, here 5.5 us)",
                   "5:12 never served: line 3 has the same key and is faster (5.4 us, here no time)"}));
}

TEST(LintKeys, OfEquallyFastRowsTheFirstServes) {
  EXPECT_EQ(found("shadowed-row", a4w4_header + row("1", "5.5") + row("1", "5.50")),
            Texts{"3:12 never served: line 2 has the same key and comes first (5.5 us, here 5.5 us)"});
}

TEST(LintKeys, ARowOverTheLimitOfErrorsIsShadowedByASlowerOne) {
  const std::string wrong = "gfx950,256,1,512,4096,21,0,5.0,k,0,0,0.06\n";
  EXPECT_EQ(
      found("shadowed-row", a4w4_header + wrong + row("1", "5.5")),
      Texts{"2:12 never served: line 3 has the same key and is not over the limit of errors (5.5 us, here 5 us)"});
}

TEST(LintKeys, ATableWithoutGfxHasTheSameKeys) {
  LintInput input;
  input.tables.push_back(lint_table_of(a4w4_header + row("1", "5.5"), "a4w4_a.csv"));
  input.tables.push_back(lint_table_of("cu_num,M,N,K,us\n256,1,512,4096,5\n", "a4w4_b.csv"));
  input.tables.push_back(lint_table_of("cu_num,M,N,K,us\n256,1,512,4096,4\n", "a8w8_blockscale.csv"));
  EXPECT_EQ(found("shadowed-across", input),
            Texts{"2:12 never served: a4w4_b.csv:2 has the same key and is faster (5 us, here 5.5 us)"});
  EXPECT_EQ(found("shadowed-row", input), Texts{});
}

TEST(LintKeys, ListsOfShapes) {
  EXPECT_EQ(found("repeated-shape", "M,N,K\n1,2,3\n1, 2,3\n4,5,6\n"), Texts{"3:1 line 2 has the same key"});
  EXPECT_EQ(found("repeated-shape", a4w4_header + good_row + good_row), Texts{});
  EXPECT_EQ(found("shadowed-row", "M,N,K\n1,2,3\n1,2,3\n"), Texts{});
}

}  // namespace
}  // namespace gemmtune
