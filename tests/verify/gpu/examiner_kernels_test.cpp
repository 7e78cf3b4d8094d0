#include "gemmtune/verify/gpu/examiner_kernels.h"

#include <gtest/gtest.h>

#include <set>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr DType element_types[] = {DType::f32,  DType::tf32,     DType::f16, DType::bf16,
                                   DType::e4m3, DType::e4m3fnuz, DType::i8,  DType::e2m1};

TEST(ExaminerKernels, CompileForAChipThatNeedNotBeHere) {
  const auto compiler = KernelCompiler::open(KernelCache(default_kernel_cache()), DeviceKind::cuda);
  if (!compiler) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  const auto expect_kernels = [&](const KernelSource& source, std::initializer_list<const char*> names) {
    const auto code = compiler->compile(source);
    for (const char* name : names) EXPECT_NE(code.find(name), std::string::npos) << source.name << " lacks " << name;
  };
  for (const auto type : element_types)
    expect_kernels(codec_kernels(type, "sm90a"), {"draw_groups", "find_largest", "draw_elements", "spoil_scales",
                                                  "decode_rows", "judge", "add_residual"});
  expect_kernels(plain_kernels("sm90a"),
                 {"multiply", "fingerprint", "count_broken_guards", "negate_elements", "store_matrix"});
}

TEST(ExaminerKernels, AreOnesOfEachElementType) {
  for (const auto type : {DType::f64, DType::i32, DType::e8m0})
    EXPECT_THROW(static_cast<void>(codec_kernels(type, "sm90a")), Error) << to_string(type);
  std::set<std::string> names{plain_kernels("sm90a").name};
  for (const auto type : element_types) names.insert(codec_kernels(type, "sm90a").name);
  EXPECT_EQ(names.size(), 1 + std::size(element_types));
}

TEST(BlocksFor, RoundsUpAndStopsWhereRoundsAreBetter) {
  EXPECT_EQ(blocks_for(0, 256), 1U);
  EXPECT_EQ(blocks_for(256, 256), 1U);
  EXPECT_EQ(blocks_for(257, 256), 2U);
  EXPECT_EQ(blocks_for(std::int64_t{1} << 40, 256), 1U << 14);
}

}  // namespace
}  // namespace gemmtune
