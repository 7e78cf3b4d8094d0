// Every variant of the kernel that quantises compiles, GPU or not. tests/runtime compares its bits on a GPU.
#include "gemmtune/kernels/group_quantise.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr Side targets[]{{DType::e4m3, Scaling::row},           {DType::e4m3, Scaling::block_1x128},
                         {DType::e4m3, Scaling::block_128x128}, {DType::i8, Scaling::row},
                         {DType::e4m3fnuz, Scaling::row},       {DType::e2m1, Scaling::mx_1x32},
                         {DType::e4m3, Scaling::mx_1x32}};

TEST(GroupQuantiseSource, CompilesForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_quantise"), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  for (const auto from : {DType::bf16, DType::f16, DType::f32})
    for (const auto& to : targets) {
      const auto source = group_quantise_source({.from = from, .to = to, .rows = 1, .k = 32}, "sm90a");
      EXPECT_FALSE(compiler->compile(source).empty()) << source.name;
    }
}

TEST(GroupQuantiseSource, RefusesOtherTypes) {
  const Side e4m3{DType::e4m3, Scaling::row};
  EXPECT_THROW(static_cast<void>(group_quantise_source({.from = DType::i32, .to = e4m3}, "sm90a")), Error);
  EXPECT_THROW(static_cast<void>(group_quantise_source({.from = DType::bf16, .to = {DType::f64}}, "sm90a")), Error);
}

}  // namespace
}  // namespace gemmtune
