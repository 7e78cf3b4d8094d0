// Every variant of the rescue kernel compiles, with or without a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/kernels/rescue.h"

namespace gemmtune {
namespace {

FoldSpec weights(FoldType type, FoldBase base) { return {.type = type, .base = base, .rows = 8, .k = 64}; }

TEST(RescueSource, CompilesForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_rescue"), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  const auto compiles = [&](FoldType type, FoldBase base, const char* out) {
    const auto problem = parse_problem(fmt::format("4x8x64:e2m1/1x32:e2m1/1x32:{}:packed", out));
    const auto source = rescue_source(problem, weights(type, base), "sm90a");
    EXPECT_FALSE(compiler->compile(source).empty()) << source.name << ' ' << out;
  };
  compiles(FoldType::e4m3, FoldBase::row, "bf16");
  compiles(FoldType::e4m3, FoldBase::tensor, "fp16:bias");
  compiles(FoldType::e4m3, FoldBase::chunk, "f32:bias");
  compiles(FoldType::int8, FoldBase::row, "f32");
  compiles(FoldType::int8, FoldBase::tensor, "bf16:bias");
  compiles(FoldType::int8, FoldBase::chunk, "fp16");
}

TEST(RescueSource, RefusesWeightsThatNeedNone) {
  const auto problem = parse_problem("4x8x64:e2m1/1x32:e2m1/1x32:bf16:packed");
  EXPECT_THROW(static_cast<void>(rescue_source(problem, weights(FoldType::bf16, FoldBase::row), "sm90a")), Error);
}

}  // namespace
}  // namespace gemmtune
