#include <gtest/gtest.h>

#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

TEST(LintCells, UnusableLines) {
  EXPECT_EQ(found("unusable-line", "M,N,K\n1,0,3\n1,2,3\n1,2,3,4\n"),
            (Texts{"2:3 N: found '0', expected a whole number above 0; nothing reads this line",
                   "4:7 found '4' beyond the last column, K; nothing reads this line"}));
}

TEST(LintCells, ShortAndLongRows) {
  const std::string text = "M,N,K,mine,note\n1,2,3\n1,2,3,a,b\n1,2,3,a,b,,\n";
  EXPECT_EQ(found("short-row", text),
            Texts{"2:5 3 cells, the header has 5: the line was cut, or a cell is missing; nothing reads this line"});
  EXPECT_EQ(found("unusable-line", text), Texts{}) << "said once";
  EXPECT_EQ(found("long-row", text), Texts{"4:11 7 cells, the header has 5"});
}

TEST(LintCells, ACellTooFew) {
  const auto row = "gfx950,256,1,512,4096,21,5.4049,k,0.78,194.57,0.0\n";  // no splitK
  EXPECT_EQ(found("shifted-columns", a4w4_header + row),
            Texts{"2:26 '5.4049' stands under splitK: the cells from here on fit one column further right"});
}

TEST(LintCells, ACellTooMany) {
  const auto row = "gfx950,256,1,512,4096,ck,21,0,5.4049,k,0.78,194.57,0.0\n";
  EXPECT_EQ(found("shifted-columns", a4w4_header + row), Texts{});  // the extra cell itself fits nowhere
  const auto doubled = "gfx950,256,1,512,4096,21,0,0,5.4049,k,0.78,194.57,0.0\n";
  EXPECT_EQ(found("shifted-columns", a4w4_header + doubled),
            Texts{"2:30 '5.4049' stands under kernelName: the cells from here on fit one column further left"});
}

TEST(LintCells, RowsThatFitAreNotShifted) {
  EXPECT_EQ(found("shifted-columns", a4w4_header + good_row), Texts{});
  EXPECT_EQ(found("shifted-columns", a4w4_header + "gfx950,256,1,512,4096,21,x,5.4049,k,0.78,194.57,0.0\n"), Texts{});
}

TEST(LintCells, OddCells) {
  EXPECT_EQ(found("odd-cell", a4w4_header + "gfx950,256,1,512,4096,21,x,5.4049,k,0.78,fast,0.0\n" + good_row),
            Texts{"2:26 splitK: found 'x', expected a whole number"});
}

}  // namespace
}  // namespace gemmtune
