#include "gemmtune/gemm/format.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(Format, NamesParseBack) {
  for (const auto format : all_formats()) EXPECT_EQ(parse_format(to_string(format)), format);
  EXPECT_EQ(parse_format("A4W4"), Format::a4w4);
  EXPECT_EQ(parse_format("a4w5"), std::nullopt);
}

TEST(Format, DefaultsBelongToTheirFormat) {
  for (const auto format : all_formats()) {
    Problem problem = format_defaults(format);
    problem.m = problem.n = problem.k = 128;
    const bool batched = format == Format::batched_a16w16 || format == Format::batched_a8w8;
    problem.batch = batched ? 4 : 1;
    EXPECT_EQ(why_invalid(problem), "") << to_string(format);
    EXPECT_EQ(format_of(problem), format) << to_string(format);
  }
}

TEST(Format, ProblemsOutsideAllFormatsHaveNone) {
  EXPECT_EQ(format_of(parse_problem("1x1x32:e4m3/row:e2m1/1x32:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("1x1x32:tf32:e2m1/1x32:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("1x1x32:bf16/q8:bf16:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("1x1x32:e4m3/1x128:e4m3/row:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("1x1x32:f32:f32:f32")), Format::a16w16);
  EXPECT_EQ(format_of(parse_problem("1x1x32:e4m3/1x32:e4m3/row:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("1x1x32:bf16:e4m3/1x32:bf16")), std::nullopt);
}

TEST(Format, FloatsOfEachWidthMeetWeightsInBlocks) {
  EXPECT_EQ(format_of(parse_problem("1x1x32:f32:e2m1/1x32:f32")), Format::a16w4);
  EXPECT_EQ(format_of(parse_problem("1x1x32:f16/q8:e2m1/1x32:f16:packed")), Format::a8w4);
  EXPECT_EQ(format_of(parse_problem("1x1x32:f16:e2m1/1x16:bf16")), Format::a16w4_nvfp4);
  EXPECT_EQ(format_of(parse_problem("1x1x32:f32/q8:e2m1/1x16:bf16")), Format::a8w4_nvfp4);
  EXPECT_EQ(format_of(parse_problem("1x1x32:f32/q8:int4/1x32f16:bf16")), Format::a8wq4);
  EXPECT_EQ(format_of(parse_problem("1x1x32:f32/q8:int8/1x32f16:bf16:batch=3")), Format::a8wq8);
}

TEST(Format, Mxfp8HasWeightsWithBothKindsOfBlocks) {
  EXPECT_EQ(to_string(parse_problem("8x4x64:mxfp8")), "8x4x64:e4m3/1x32:e4m3/1x32:bf16:packed");
  EXPECT_EQ(format_of(parse_problem("8x4x64:e4m3/1x32:e4m3/1x32:f32:batch=2")), Format::mxfp8);
  EXPECT_EQ(format_of(parse_problem("8x4x64:e4m3/1x32:e4m3/32x32:bf16")), Format::mxfp8);
  EXPECT_FALSE(is_aiter(Format::mxfp8));
}

TEST(Format, CallsThatQuantiseToFp8TakeFloatsOfEachWidth) {
  EXPECT_EQ(format_of(parse_problem("8x4x128:f32/fp8_1x128:e4m3/128x128:f32:batch=2")), Format::a16w8_blockscale);
  EXPECT_EQ(format_of(parse_problem("8x4x128:f16/fp8_row:e4m3/tensor:bf16:packed")), Format::a16w8);
  EXPECT_EQ(format_of(parse_problem("8x4x128:bf16/fp8_row:e4m3/128x128:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("8x4x128:bf16/fp8_1x128:e4m3/row:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("8x4x128:bf16/fp8_1x128:e4m3/tensor:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("8x4x128:bf16/fp8_row:e4m3:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("8x4x128:f32/fp8_row:e2m1/1x32:bf16:batch=2")), Format::a16w4_fp8);
  EXPECT_EQ(format_of(parse_problem("8x4x128:bf16/fp8_row:e2m1/1x16:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("8x4x128:bf16/fp8_1x128:e2m1/1x32:bf16")), std::nullopt);
  EXPECT_EQ(format_of(parse_problem("8x4x128:bf16/fp8_row:bf16:bf16")), std::nullopt);
  auto problem = parse_problem("8x4x128:a16w8_blockscale");
  set_input_types(problem, DType::f16);
  EXPECT_EQ(to_string(problem), "8x4x128:f16/fp8_1x128:e4m3/128x128:bf16");
  EXPECT_FALSE(is_aiter(Format::a16w8_blockscale));
  EXPECT_FALSE(is_aiter(Format::a16w4_fp8));
}

/// A list's column `dtype` names the type of A alone there.
TEST(Format, FloatsMeetWeightsOfATypeOfTheirOwn) {
  for (const char* types : {"a16w4", "a8w4_nvfp4", "a8wq8", "a16w8", "a16w8_blockscale", "a16w4_fp8",
                            "bf16:int4/1x32f16:bf16", "bf16/fp8_row:e4m3/128x128:bf16"}) {
    auto problem = parse_problem(std::string("8x4x128:") + types);
    const auto w = problem.w;
    EXPECT_TRUE(has_own_weight_type(problem)) << types;
    set_input_types(problem, DType::f16);
    EXPECT_EQ(problem.a.type, DType::f16) << types;
    EXPECT_EQ(problem.w, w) << types;
  }
  for (const char* types : {"a16w16", "a8w8", "a4w4", "mxfp8", "a8w8_blockscale", "e4m3/row:e2m1/1x32:bf16"})
    EXPECT_FALSE(has_own_weight_type(parse_problem(std::string("8x4x128:") + types))) << types;
}

TEST(Format, TablesOfAiterAreForItsOwn) {
  EXPECT_TRUE(is_aiter(Format::a4w4));
  EXPECT_TRUE(is_aiter(Format::batched_a8w8));
  EXPECT_FALSE(is_aiter(Format::a16w4));
  EXPECT_FALSE(is_aiter(Format::a8wq8));
}

}  // namespace
}  // namespace gemmtune
