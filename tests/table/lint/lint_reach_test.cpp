#include <gtest/gtest.h>

#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

TEST(LintReach, RowsWithoutATime) {
  std::string rows;
  for (const auto* us : {"0", "0.0", "-1", "inf", "nan", "Null", "", "1.5"})
    rows += fmt::format("gfx950,256,1,512,4096,21,0,{},k,0,0,0.0\n", us);
  const auto findings = found("no-time", a4w4_header + rows);
  ASSERT_EQ(findings.size(), 7U);
  EXPECT_EQ(findings[3], "5:28 us is 'inf': no measurement, so no lookup should serve it");
  EXPECT_EQ(found("no-time", "M,N,K\n1,2,3\n"), Texts{}) << "a list of shapes has no times";
}

TEST(LintReach, RowsWithoutADevice) {
  EXPECT_EQ(found("no-device", "cu_num,M,N,K,us\n,1,2,3,4\n12,1,2,3,4\n"),
            Texts{"2:1 neither gfx nor cu_num: no device asks for it"});
  EXPECT_EQ(found("no-device", "M,N,K,us\n1,2,3,4\n"), Texts{}) << "a generation without devices";
}

TEST(LintReach, DevicesThatDoNotExist) {
  EXPECT_EQ(found("device-contradiction",
                  "gfx,cu_num,M,N,K,us\ngfx942,256,1,2,3,4\ngfx950,80,1,2,3,4\n"
                  "gfx942,304,1,2,3,4\ngfx1250,256,1,2,3,4\ngfx942,38,1,2,3,4\nsm90,80,1,2,3,4\n"),
            (Texts{"2:8 no gfx942 has 256 compute units (a gfx950 does): no device asks for it",
                   "3:8 no gfx950 has 80 compute units (a gfx942 does): no device asks for it"}));
}

TEST(LintReach, TokensThatFusedMoeNeverAsksFor) {
  std::string rows;
  for (const auto tokens : {1, 3, 32768, 65536, 131072, 262144})
    rows += fmt::format("304,{},{}64,0,1,a,0.0%,1,b,0.0%,2,0,0,0,0,0,\n", tokens, moe_key);
  const auto findings = found("unasked-tokens", moe_header + rows, "tuned_fmoe.csv");
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0],
            "3:5 no call looks up a row for 3 tokens: calls look up powers of two up to 32768, and 131072");
  const auto as_pandas_writes = fmt::format("304,16.0,{}64,0,1,a,0.0%,1,b,0.0%,2,0,0,0,0,0,\n", moe_key);
  EXPECT_EQ(found("unasked-tokens", moe_header + as_pandas_writes, "tuned_fmoe.csv"), Texts{});
  EXPECT_EQ(findings[1].substr(0, 2), "5:");
  EXPECT_EQ(findings[2].substr(0, 2), "7:");
}

TEST(LintReach, ResultsOverTheLimit) {
  const std::string text =
      a4w4_header + "gfx950,256,1,512,4096,21,0,5,k,0,0,0.05\ngfx950,256,2,512,4096,21,0,5,k,0,0,0.051\n";
  EXPECT_EQ(found("wrong-result", text), Texts{"3:36 errRatio is 0.051, over the limit of 0.05"});
  LintInput strict{.err_ratio_limit = 0.01};
  strict.tables.push_back(lint_table_of(text, "a4w4.csv"));
  EXPECT_EQ(found("wrong-result", strict).size(), 2U);
}

TEST(LintReach, FusedMoeHasTwiceTheLimitAndPercentages) {
  const auto row = fmt::format("304,1,{}64,0,1,a,9.9%,1,b,10.1%,2,0,0,0,0,0,\n", moe_key);
  const auto findings = found("wrong-result", moe_header + row, "tuned_fmoe.csv");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("err2 is 10.1%, over the limit of 0.1"), std::string::npos);
}

TEST(LintReach, ARowWhoseSizesAreThoseOfAnotherLayer) {
  EXPECT_EQ(found("swapped-sizes", "M,N,K\n1,7168,512\n16,7168,512\n64,7168,512\n7168,16,512\n7168,24,512\n"),
            Texts{"5:1 M=7168 looks like a layer's N, and N=16 like a number of tokens"});
}

TEST(LintReach, AFileWithTokensUnderN) {
  const auto findings = found("swapped-sizes", "M,N,K\n7168,1,512\n7168,8,512\n7168,16,512\n7168,4096,512\n");
  EXPECT_EQ(findings.size(), 4U);
  EXPECT_EQ(found("swapped-sizes", "M,N,K\n4096,1,512\n4096,256,512\n4096,512,512\n1,1,512\n"), Texts{})
      << "a gate of one column is a layer";
}

TEST(LintReach, ResultsThatWereNotCompared) {
  EXPECT_EQ(found("wrong-result", a4w4_header + "gfx950,256,1,512,4096,21,0,5.4049,k,0.78,194.57,nan\n"),
            Texts{"2:49 errRatio is nan, so the results were not compared"});
  EXPECT_EQ(found("wrong-result", a4w4_header + "gfx950,256,1,512,4096,21,0,5.4049,k,0.78,194.57,-1\n").size(), 1U);
}

TEST(LintReach, TheFeaturesOfADeviceDoNotCount) {
  const std::string row = "gfx942:sramecc+:xnack-,256,1,512,4096,21,0,5.4049,k,0.78,194.57,0\n";
  EXPECT_EQ(found("device-contradiction", a4w4_header + row).size(), 1U);
}

}  // namespace
}  // namespace gemmtune
