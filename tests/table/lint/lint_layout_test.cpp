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

}  // namespace
}  // namespace gemmtune
