#include <gtest/gtest.h>

#include <memory>

#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_cpu_reference_family();

namespace {

constexpr const char* problems[]{
    "1x1x1:f32:f32:f32",
    "5x33x65:bf16:bf16:bf16:bias",
    "5x33x65:fp16:fp16:fp16:batch=2:bias",
    "5x33x65:int8/row:int8/row:bf16",
    "5x33x65:int8/tensor:int8/tensor:f32:batch=3:packed",
    "5x33x65:e4m3/row:e4m3/row:bf16",
    "5x33x64:e4m3fnuz/tensor:e4m3fnuz/row:bf16:packed",
    "5x200x300:e4m3/1x128:e4m3/128x128:bf16:batch=2",
    "5x33x70:e2m1/1x32:e2m1/1x32:bf16:packed:bias",
    "5x33x64:bf16:e2m1/1x32:f32",
    "5x33x70:bf16/q8:e2m1/1x32:f32:packed",
    "5x33x70:f16/q8:e2m1/1x16:f32:batch=2:tt:lda=7",
    "5x33x70:f32:e2m1/1x16:f32:packed:batch=2",
    "5x33x70:f32/q8:int4/1x32f16:f32:batch=2:ldw=72:bias",
    "5x33x69:bf16/q8:int8/1x32f16:bf16:silu",
    "5x200x300:bf16/fp8_1x128:e4m3/128x128:bf16:bias",
    "5x33x300:f32/fp8_1x128:e4m3/128x128:f32:batch=2:tt",
    "5x33x70:f16/fp8_row:e4m3/row:f32:batch=2:lda=73",
    "5x33x70:bf16/fp8_row:e4m3/tensor:bf16:packed",
    "5x33x70:bf16/fp8_row:e2m1/1x32:bf16",
    "5x200x300:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16:bias:batch=2",
    "5x200x300:e4m3/1x128:e4m3/128x128e8m0:f32",
    "5x33x65:e4m3/1x32:e4m3/1x32:bf16:packed:bias",
    "5x70x65:e4m3/1x32:e4m3/32x32:f32:batch=2",
    "5x33x65:bf16:e4m3/1x32:bf16",
    "5x33x65:f32:f32:f32:nn",
    "5x33x65:bf16:bf16:bf16:tn:lda=7:ldw=35:ldc=37",
    "5x33x65:int8/row:int8/row:bf16:tt:packed",
    "5x200x300:e4m3/1x128:e4m3/128x128:bf16:batch=2:nn:lda=301:stride_w=60007:stride_c=1001",
    "5x33x70:e2m1/1x32:e2m1/1x32:bf16:batch=2:lda=74:ldw=72:stride_a=400:packed",
    "5x33x65:f32:f32:f32:relu",
    "5x33x65:bf16:bf16:f32:gelu_tanh",
    "5x33x65:fp16:fp16:fp16:gelu_erf",
    "5x33x65:f32:f32:f32:silu",
    "5x33x65:f32:f32:f32:residual",
    "5x33x65:bf16:bf16:bf16:batch=2:ldc=37:stride_c=211:bias:silu:residual"};

TEST(CpuReference, EveryFormatIsRight) {
  const auto family = make_cpu_reference_family();
  for (const char* problem : problems) {
    EXPECT_EQ(check::why_any_wrong(*family, {.problem = problem, .seed = 2}), "");
    EXPECT_EQ(check::why_names_wrong(*family, parse_problem(problem)), "");
  }
}

TEST(CpuReference, AdversarialOperands) {
  const auto family = make_cpu_reference_family();
  for (const Recipe recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::nan_scales}) {
    for (const char* problem : {"9x40x128:e2m1/1x32:e2m1/1x32:bf16", "9x40x128:mxfp8",
                                "9x70x128:e4m3/1x32:e4m3/32x32:bf16", "9x40x200:a16w8_blockscale", "9x40x200:a16w8",
                                "9x40x200:a16w4_fp8", "9x140x300:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16"})
      EXPECT_EQ(check::why_any_wrong(*family, {.problem = problem, .recipe = recipe, .seed = 9}), "");
  }
}

TEST(CpuReference, WideRowsNanAndInfinity) {
  const auto family = make_cpu_reference_family();
  for (const Recipe recipe : {Recipe::wide_rows, Recipe::nan_inf})
    for (const char* problem : problems)
      EXPECT_EQ(check::why_any_wrong(*family, {.problem = problem, .recipe = recipe, .seed = 3}), "");
}

TEST(CpuReference, RefusesWhatWouldTakeTooLong) {
  const auto family = make_cpu_reference_family();
  const auto why_not = [&](const char* problem) {
    return family->supports(parse_problem(problem), check::this_cpu()).why_not;
  };
  EXPECT_EQ(why_not("1000x1000x100:f32:f32:f32"), "");
  EXPECT_NE(why_not("1000x1000x101:f32:f32:f32").find("GFLOP"), std::string::npos);
  EXPECT_FALSE(check::why_refused(*family, "1000x1000x101:f32:f32:f32", "cpu_reference_f64_t1").empty());
}

}  // namespace
}  // namespace gemmtune
