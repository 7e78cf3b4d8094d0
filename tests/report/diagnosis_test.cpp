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

TEST(Diagnosis, WhatLooksLikeAnErrorIsNeverPassedOver) {
  for (const auto* line : {"ERROR: Cannot find AITER directory", "2026-11-29 ERROR something", "FooError",
                           "hipErrorNew", "BarException: x", "terminate called after throwing", "Killed"})
    EXPECT_EQ(diagnose(line).unknown.size(), 1U) << line;
  for (const auto* line : {"errRatio 0.01", "0 errors", "max error 0.1", "Errors"})
    EXPECT_TRUE(diagnose(line).unknown.empty()) << line;
}

/// The same line means something else after the shape that it is about.
TEST(Diagnosis, MemoryFaultsAreToldByTheirShapes) {
  const auto name = [](const std::string& log) { return diagnose(log).findings.at(0).error->name; };
  const std::string fault = "Memory access fault by GPU node-2\n";
  EXPECT_EQ(name(fault), memory_fault);
  EXPECT_EQ(name("M=1, N=576, K=7168\n" + fault), memory_fault_of_n);
  EXPECT_EQ(name("M: 1, N: 2112, K: 7168\n" + fault), memory_fault_of_n);
  EXPECT_EQ(name("M=1 N=512 K=7168\n" + fault + fault), memory_fault);
  EXPECT_EQ(name("M=1 N=512 K=64\n" + fault + "M=2 N=512 K=64\n" + fault + "M=3 N=256 K=64\n" + fault),
            many_memory_faults);
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
