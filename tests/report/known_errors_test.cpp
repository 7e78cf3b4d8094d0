#include "gemmtune/report/known_errors.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gemmtune/core/text.h"
#include "gemmtune/report/diagnosis.h"

namespace gemmtune {
namespace {

TEST(KnownErrors, EachIsFoundByItsExample) {
  for (const auto& error : known_errors()) {
    const auto diagnosis = diagnose(error.example);
    ASSERT_EQ(diagnosis.findings.size(), 1U) << error.name;
    EXPECT_EQ(diagnosis.findings[0].error->name, error.name) << "an earlier one takes its line: " << error.example;
  }
}

TEST(KnownErrors, EachSaysWhyAndWhatToDo) {
  std::set<std::string_view> names;
  for (const auto& error : known_errors()) {
    EXPECT_TRUE(names.insert(error.name).second) << error.name;
    EXPECT_TRUE(error.cause.ends_with('.') && error.fix.ends_with('.')) << error.name;
    for (const auto pattern : split(error.patterns, '|')) EXPECT_GE(pattern.size(), 7U) << error.name;
  }
}

/// Lines as AITER, PyTorch and ROCm write them.
TEST(KnownErrors, LinesOfRealLogs) {
  const std::pair<const char*, const char*> lines[] = {
      {"FileNotFoundError: [Errno 2] No such file or directory: '/a/hsa/gfx950/f4gemm/f4gemm_bf16_per1x32Fp4.csv'",
       "no list of assembly kernels"},
      {"    raise KeyError(key) from err\nKeyError: 'tile_m'", "list of kernels in another spelling"},
      {"RuntimeError: shape '[256, 1132]' is invalid for input of size 290816", "scales of another K than the weights"},
      {"(16384, 256, 7168)   kernelid:0  this gemm is not supported!", "kernel does not take this shape"},
      {"Memory access fault by GPU node-N (Agent handle: 0x...) on address 0x.... Reason: Unknown.",
       "memory access fault"},
      {"CUDA error: an illegal memory access was encountered", "memory access fault"},
      {"ValueError: N=2112 is not a multiple of 128", "N is no multiple of 128"},
      {"assert K % 256 == 0, 'K'", "K is no multiple of 256"},
      {"[!] Task 17 timed out after 1800.0s", "pool of workers hangs"},
      {"AssertionError: Required config file doesn't exist: gfx950-GEMM-A8W8.json",
       "configuration of a kernel is missing"},
      {"Ambiguous output redirect.", "command mangled by ssh"},
      {"ASM kernel list file not exist: /root/aiter/hsa//f4gemm/f4gemm_bf16_per1x32Fp4.csv",
       "no list of assembly kernels"},
      {"ModuleNotFoundError: No module named 'gluon'", "Gluon is missing"},
      {"FileNotFoundError: [Errno 2] No such file or directory: '/x/gemm/gluon/gfx950-GEMM-AFP4WFP4.json'",
       "Gluon is missing"},
      {"ImportError: libhipblaslt.so.0: cannot open shared object file", "module is missing"}};
  for (const auto& [line, name] : lines) {
    const auto diagnosis = diagnose(line);
    ASSERT_EQ(diagnosis.findings.size(), 1U) << line;
    EXPECT_EQ(diagnosis.findings[0].error->name, name) << line;
  }
}

TEST(KnownErrors, Patterns) {
  EXPECT_TRUE(fits("a*c", "xAbCx"));
  EXPECT_TRUE(fits("ac", "xacx"));
  EXPECT_FALSE(fits("a*c", "c a"));
  EXPECT_FALSE(fits("aa*a", "aa")) << "pieces do not overlap";
  EXPECT_TRUE(fits("", ""));
}

}  // namespace
}  // namespace gemmtune
