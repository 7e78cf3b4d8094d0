#include "gemmtune/verify/gpu/examiner_kernels.h"

#include <gtest/gtest.h>

#include <set>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr DType element_types[] = {DType::f32,  DType::tf32,     DType::f16, DType::bf16,
                                   DType::e4m3, DType::e4m3fnuz, DType::i8,  DType::e2m1};

TEST(ExaminerKernels, CompileForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()));
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not();
  for (const auto type : element_types) EXPECT_FALSE(compiler->compile(codec_kernels(type, "sm90a")).empty());
  EXPECT_FALSE(compiler->compile(plain_kernels("sm90a")).empty());
}

TEST(ExaminerKernels, AreOnesOfEachElementType) {
  for (const auto type : {DType::f64, DType::i32, DType::e8m0})
    EXPECT_THROW(static_cast<void>(codec_kernels(type, "sm90a")), Error) << to_string(type);
  std::set<std::string> names{plain_kernels("sm90a").name};
  for (const auto type : element_types) {
    const auto source = codec_kernels(type, "sm90a");
    names.insert(source.name);
    for (const char* name : {"draw_groups", "find_largest", "draw_elements", "spoil_scales", "decode_rows", "judge"})
      EXPECT_NE(source.text.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(names.size(), 1 + std::size(element_types));
  for (const char* name : {"multiply", "fingerprint", "count_broken_guards"})
    EXPECT_NE(plain_kernels("sm90a").text.find(name), std::string::npos) << name;
}

TEST(BlocksFor, RoundsUpAndStopsWhereRoundsAreBetter) {
  EXPECT_EQ(blocks_for(0, 256), 1U);
  EXPECT_EQ(blocks_for(256, 256), 1U);
  EXPECT_EQ(blocks_for(257, 256), 2U);
  EXPECT_EQ(blocks_for(std::int64_t{1} << 40, 256), 1U << 14);
}

}  // namespace
}  // namespace gemmtune
