#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
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
  EXPECT_EQ(found("odd-cell", moe_header + "256,1," + moe_key + "x,0,1.5,a,0.0,1.5,b,0.0,3.0,0,0,1,1,\n"),
            Texts{"2:121 block_m: found 'x', expected a whole number"});
  EXPECT_EQ(found("odd-cell", a4w4_header + "gfx950,256,1,512,4096,21,x,5.4049,k,0.78,fast,0.0\n" + good_row), Texts{})
      << "such a line is unusable";
}

/// Lint and serving apply one rule: the reader of serving.
TEST(LintCells, LinesThatServingRefusesAreUnusable) {
  const auto unusable = [](const std::string& row) { return found("unusable-line", a4w4_header + row + good_row); };
  EXPECT_EQ(unusable("gfx950,256,,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n"),
            Texts{"2:12 M: found '', expected a whole number above 0; nothing reads this line"});
  EXPECT_EQ(unusable("gfx950,256,Null,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n"),
            Texts{"2:12 M: found 'Null', expected a whole number above 0; nothing reads this line"});
  EXPECT_EQ(unusable("gfx950,256,1,512,4096,21,x,5.4049,k,0.78,194.57,0.0\n"),
            Texts{"2:26 splitK: found 'x', expected a whole number; nothing reads this line"});
  EXPECT_EQ(unusable("gfx950,256,1,512,4096,21,0,soon,k,0.78,194.57,0.0\n").size(), 1U) << "said once";
  EXPECT_EQ(unusable(good_row), Texts{});
}

TEST(LintCells, TablesThatServingRefusesHaveNoReader) {
  const std::string row = "gfx950,256,512,4096,21,0,5.4049,k,0.78,194.57,0.0\n";
  EXPECT_EQ(found("no-reader", "gfx,cu_num,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n" + row).size(), 1U);
  const auto without_names = found("no-reader", "gfx,cu_num,M,N,K,us,tflops\ngfx950,256,1,512,4096,5.4,0.78\n");
  ASSERT_EQ(without_names.size(), 1U);
  EXPECT_NE(without_names[0].find("expected those of an a4w4 table"), std::string::npos) << without_names[0];
  EXPECT_EQ(found("no-reader", a4w4_header + good_row), Texts{});
  EXPECT_EQ(found("no-reader", "M,N,K\n1,2,3\n"), Texts{}) << "a list of shapes";
}

TEST(LintCells, AColumnThatStandsTwiceEndsTheReading) {
  const std::string twice = "gfx,cu_num,M,N,K,M,us,kernelName\n";
  EXPECT_THROW(lint_table_of(twice + "gfx950,256,1,2,3,4,5.0,k\n", "a4w4_tuned.csv"), Error);
}

}  // namespace
}  // namespace gemmtune
