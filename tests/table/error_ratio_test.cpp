#include "gemmtune/table/error_ratio.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gemmtune {
namespace {

Sheet read(std::string_view text) { return sheet_of(parse_csv(text)); }

double ratio_of(std::string_view text) {
  const auto sheet = read(text);
  return error_ratio(sheet, sheet.rows.front());
}

TEST(ErrorRatio, IsTheLargestThatTheRowSays) {
  EXPECT_EQ(ratio_of("M,N,K,errRatio\n1,8,8,0.25\n"), 0.25);
  EXPECT_EQ(ratio_of("M,N,K,err_ratio\n1,8,8,25%\n"), 0.25);
  EXPECT_EQ(ratio_of("token,model_dim,err1,err2\n1,8,0.5,0.25\n"), 0.5);
}

TEST(ErrorRatio, OfResultsThatWereNotComparedIsInfinite) {
  for (const auto* cell : {"nan", "NaN", "-1", "-0.5%", "inf"})
    EXPECT_TRUE(std::isinf(ratio_of(std::string("M,N,K,errRatio\n1,8,8,") + cell + "\n"))) << cell;
  EXPECT_TRUE(std::isinf(ratio_of("token,model_dim,err1,err2\n1,8,nan,0.25\n")));
}

TEST(ErrorRatio, IsNoneWhereTheRowSaysNone) {
  for (const auto* cell : {"", "Null", "x", "0", "-0.0"})
    EXPECT_EQ(ratio_of(std::string("M,N,K,errRatio\n1,8,8,") + cell + "\n"), 0) << cell;
  EXPECT_EQ(ratio_of("M,N,K\n1,8,8\n"), 0);
}

TEST(ErrorRatio, FusedMoeHasTwiceTheLimit) {
  const auto gemm = read("M,N,K,errRatio\n1,8,8,0.05\n1,8,8,0.06\n1,8,8,inf\n");
  EXPECT_FALSE(is_wrong(gemm, gemm.rows[0]));
  EXPECT_TRUE(is_wrong(gemm, gemm.rows[1]));
  EXPECT_TRUE(is_wrong(gemm, gemm.rows[2]));
  const auto moe = read("token,model_dim,err1\n1,8,0.1\n1,8,0.11\n");
  EXPECT_FALSE(is_wrong(moe, moe.rows[0]));
  EXPECT_TRUE(is_wrong(moe, moe.rows[1]));
}

}  // namespace
}  // namespace gemmtune
