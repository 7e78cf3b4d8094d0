#include "gemmtune/verify/gpu/examiner_kernels.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr DType element_types[] = {DType::f32,      DType::f16, DType::bf16, DType::e4m3,
                                   DType::e4m3fnuz, DType::i8,  DType::e2m1};

TEST(ExaminerKernels, CompileForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()));
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not();
  for (const auto type : element_types) EXPECT_FALSE(compiler->compile(examiner_source(type, "sm90a")).empty());
}

TEST(ExaminerKernels, AreOnesOfEachElementType) {
  for (const auto type : {DType::f64, DType::i32, DType::e8m0})
    EXPECT_THROW(static_cast<void>(examiner_source(type, "sm90a")), Error) << to_string(type);
  for (const auto type : element_types) {
    const auto text = examiner_source(type, "sm90a").text;
    for (const char* name : {"draw_groups", "find_largest", "draw_elements", "spoil_scales", "decode_rows", "multiply",
                             "judge", "fingerprint"})
      EXPECT_NE(text.find(name), std::string::npos) << name;
    EXPECT_EQ(text.find("#include"), std::string::npos);
  }
}

TEST(BlocksFor, RoundsUpAndStopsWhereRoundsAreBetter) {
  EXPECT_EQ(blocks_for(0, 256), 1U);
  EXPECT_EQ(blocks_for(256, 256), 1U);
  EXPECT_EQ(blocks_for(257, 256), 2U);
  EXPECT_EQ(blocks_for(std::int64_t{1} << 40, 256), 1U << 14);
}

}  // namespace
}  // namespace gemmtune
