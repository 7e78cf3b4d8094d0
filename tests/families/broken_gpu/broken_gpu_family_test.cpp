#include "tests/families/broken_gpu/broken_gpu_family.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune::broken_gpu {
namespace {

const Problem problem = parse_problem("64x64x64:bf16:bf16:bf16");

TEST(BrokenGpuFamily, EachFaultCompilesForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  std::vector<std::string> codes;
  for (const auto& candidate : make_family()->candidates(problem, {}))
    codes.push_back(compiler->compile(source(candidate.name, "sm90a")));
  for (std::size_t i = 0; i < codes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(codes[i], codes[j]) << "two faults have the same code: " << i << " is " << j;
}

TEST(BrokenGpuFamily, KnowsItsFaultsByName) {
  EXPECT_THROW(static_cast<void>(source("no_such_fault", "sm90a")), Error);
  EXPECT_TRUE(make_family()->supports(problem, {.kind = DeviceKind::cuda}));
  EXPECT_FALSE(make_family()->supports(parse_problem("64x64x64:a4w4"), {.kind = DeviceKind::cuda}));
  EXPECT_EQ(make_family()->runs_on(), DeviceKind::cuda);
}

}  // namespace
}  // namespace gemmtune::broken_gpu
