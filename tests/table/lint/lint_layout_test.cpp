#include <gtest/gtest.h>

#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

TEST(LintLayout, Crlf) {
  EXPECT_EQ(found("crlf", "M,N,K\r\n1,2,3\r\n"), Texts{"1:6 the line ends in CR and LF, here and 1 more"});
  EXPECT_EQ(found("crlf", "M,N,K\n1,2,3\n"), Texts{});
}

TEST(LintLayout, BlankLines) {
  EXPECT_EQ(found("blank-line", "M,N,K\n\n1,2,3\n \t\n4,5,6\n"), Texts{"2:1 a blank line, here and 1 more"});
  EXPECT_EQ(found("blank-line", "M,N,K\n1,2,3\n"), Texts{});
}

TEST(LintLayout, BlanksAroundCells) {
  EXPECT_EQ(found("blanks", "M,N,K\n1, 2,3\t\n"), Texts{"2:3 blanks around a cell, here and 1 more"});
  EXPECT_EQ(found("blanks", "M,N,K\n1,2,3\r\n"), Texts{});
}

TEST(LintLayout, NoFinalNewline) {
  EXPECT_EQ(found("no-final-newline", "M,N,K\n1,2,3"), Texts{"2:5 the last line has no end"});
  EXPECT_EQ(found("no-final-newline", "M,N,K\n1,2,3\n"), Texts{});
}

TEST(LintLayout, NoRows) {
  EXPECT_EQ(found("no-rows", "M,N,K\n\n"), Texts{"1:1 a header and no rows"});
  EXPECT_EQ(found("no-rows", "M,N,K\n1,2,3\n"), Texts{});
}

TEST(LintLayout, FilesThatNothingReads) {
  EXPECT_EQ(found("no-reader", "M;N;K;us\n1;2;3;4\n"),
            Texts{"1:1 none of its columns says what its rows are for (its cells do not have commas between them): "
                  "nothing reads this file"});
  EXPECT_EQ(found("no-reader", "gfx950,256,16,2112,7168,3,0,11.5,k\n"),
            Texts{"1:1 none of its columns says what its rows are for (it has no header: the first line is a row): "
                  "nothing reads this file"});
  EXPECT_EQ(found("no-reader", "Validator,PT_VERSION\nGemm_TN,tn_1_2_3\n").size(), 1U);
  EXPECT_EQ(found("no-reader", "gfx,cu_num,M,N,K,libtype,kernelName,errRatio\n"),
            Texts{"1:1 it has results and no column us: nothing reads this file"});
  EXPECT_EQ(found("no-reader", "gfx,cu_num,N,K,libtype,us,kernelName\n").size(), 1U);
  for (const auto* text : {"M,N,K\n1,2,3\n", "knl_name,co_name\n", "token,model_dim,kernelName1\n"})
    EXPECT_EQ(found("no-reader", text), Texts{}) << text;
  EXPECT_EQ(found("no-reader", a4w4_header), Texts{});
}

}  // namespace
}  // namespace gemmtune
