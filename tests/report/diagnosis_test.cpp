#include "gemmtune/report/diagnosis.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(Diagnosis, FindsWhatIsKnownAndWhatIsNot) {
  const auto diagnosis = diagnose(
      "starting, errRatio limit 0.05, 0 errors\n"
      "This GEMM is not supported!\r\n"
      "KeyError: 'tile_m'\n"
      "This GEMM is not supported!\n"
      "RuntimeError: a surprise\n");
  EXPECT_EQ(diagnosis.lines, 5);
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].error->name, "kernel does not take this shape");
  ASSERT_EQ(diagnosis.findings[0].lines.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].lines[0].text, "This GEMM is not supported!");
  EXPECT_EQ(diagnosis.findings[0].lines[1].number, 4);
  ASSERT_EQ(diagnosis.unknown.size(), 1U);
  EXPECT_EQ(diagnosis.unknown[0].number, 5);
}

TEST(Diagnosis, CountsLines) {
  EXPECT_EQ(diagnose("").lines, 0);
  EXPECT_EQ(diagnose("\n").lines, 1);
  EXPECT_EQ(diagnose("a").lines, 1);
  EXPECT_EQ(diagnose("a\nb").lines, 2);
}

TEST(Diagnosis, ALineOfAMegabyteAndBytesThatAreNoText) {
  std::string log(1 << 20, 'x');
  log += "\n\xff\xfe Memory access fault by GPU node-1\n";
  const auto diagnosis = diagnose(log);
  ASSERT_EQ(diagnosis.findings.size(), 1U);
  EXPECT_EQ(diagnosis.findings[0].lines[0].number, 2);
}

}  // namespace
}  // namespace gemmtune
