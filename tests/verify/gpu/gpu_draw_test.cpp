// What is drawn on the device is what is drawn on the host, bit for bit.
#include "gemmtune/verify/gpu/gpu_draw.h"

#include "tests/verify/gpu/on_gpu.h"

namespace gemmtune {
namespace {

std::vector<Side> all_sides() {
  std::vector<Side> sides{{DType::e2m1, Scaling::mx_1x32}, {DType::e4m3, Scaling::mx_1x32}};
  for (const auto type : {DType::e4m3, DType::e4m3fnuz, DType::i8, DType::bf16, DType::f16, DType::tf32, DType::f32})
    for (const auto scaling :
         {Scaling::none, Scaling::tensor, Scaling::row, Scaling::block_1x128, Scaling::block_128x128})
      sides.push_back({type, scaling});
  return sides;
}

constexpr Recipe all_recipes[] = {Recipe::gaussian,   Recipe::one_sign,  Recipe::wide_exponents, Recipe::zero_blocks,
                                  Recipe::nan_scales, Recipe::wide_rows, Recipe::nan_inf};

TEST(OperandShape, FollowsTheGridOfScales) {
  const auto blocks = operand_shape({DType::e4m3, Scaling::block_128x128}, 3, 200, 300);
  EXPECT_EQ(blocks.batch, 3);
  EXPECT_EQ(blocks.scale_rows, 2);
  EXPECT_EQ(blocks.scale_cols, 3);
  EXPECT_EQ(blocks.row_block, 128);
  EXPECT_EQ(blocks.k_block, 128);
  EXPECT_EQ(blocks.scales, ScaleKind::f32);
  EXPECT_EQ(operand_shape({DType::e2m1, Scaling::mx_1x32}, 1, 4, 64).scales, ScaleKind::e8m0);
  const auto none = operand_shape({DType::bf16, Scaling::none}, 1, 4, 64);
  EXPECT_EQ(none.scales, ScaleKind::none);
  EXPECT_EQ(none.scale_rows * none.scale_cols, 0);
  EXPECT_EQ(none.k_block, 64);
}

TEST(KnownScales, AreThoseThatTheKernelsDraw) {
  const auto has_known = [](Side a, Side w) { return has_known_scales({.m = 4, .n = 8, .k = 64, .a = a, .w = w}); };
  for (const auto side : all_sides()) EXPECT_TRUE(has_known(side, side)) << to_string(side.scaling);
  const Side bf16{DType::bf16, Scaling::none};
  EXPECT_TRUE(has_known(bf16, {DType::e2m1, Scaling::mx_1x32}));
  EXPECT_TRUE(has_known({DType::e4m3, Scaling::mx_1x32}, {DType::e4m3, Scaling::mx_32x32}));
  EXPECT_TRUE(has_known({DType::e4m3, Scaling::e8m0_1x128}, {DType::e4m3, Scaling::e8m0_128x128}));
  EXPECT_TRUE(has_known({DType::f16, Scaling::fp8_1x128}, {DType::e4m3, Scaling::block_128x128}));
  EXPECT_TRUE(has_known({DType::bf16, Scaling::fp8_row}, {DType::e4m3, Scaling::row}));
  EXPECT_TRUE(has_known({DType::bf16, Scaling::fp8_row}, {DType::e2m1, Scaling::mx_1x32}));
  EXPECT_FALSE(has_known(bf16, {DType::e2m1, Scaling::nv_1x16}));
  EXPECT_FALSE(has_known(bf16, {DType::i4, Scaling::f16_1x32}));
  EXPECT_FALSE(has_known({DType::f32, Scaling::q8_in_call}, {DType::e2m1, Scaling::mx_1x32}));
}

class GpuDrawTest : public OnGpu {
 protected:
  void expect_same_as_host(const Problem& problem, Recipe recipe, std::uint64_t seed) {
    SCOPED_TRACE(to_string(problem) + " " + std::string(to_string(recipe)) + " seed " + std::to_string(seed));
    const auto host = draw_operands(problem, recipe, seed);
    const auto device = drawn(problem, recipe, seed);
    expect_equal(download(device.a), host.a, "A");
    expect_equal(download(device.a_scale), host.a_scale, "scales of A");
    expect_equal(download(device.w), host.w, "weights");
    expect_equal(download(device.w_scale), host.w_scale, "scales of weights");
    expect_equal(download(device.bias), host.bias, "bias");
    expect_equal(download(device.residual), host.residual, "residual");
  }

  static void expect_equal(const std::vector<std::byte>& found, const std::vector<std::byte>& expected,
                           const char* what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    const auto [at, ignored] = std::mismatch(found.begin(), found.end(), expected.begin());
    EXPECT_EQ(at - found.begin(), static_cast<std::ptrdiff_t>(found.size())) << what << ": first byte that differs";
  }
};

TEST_F(GpuDrawTest, TheHostDrawsScalesThatTheKernelsDoNotKnow) {
  for (const auto recipe : all_recipes)
    expect_same_as_host(parse_problem("17x67x96:bf16:e2m1/1x16:bf16:batch=2"), recipe, 1);
}

TEST_F(GpuDrawTest, EverySideEveryRecipe) {
  const Problem shapes[] = {{.m = 131, .n = 67, .k = 330, .batch = 3},
                            {.m = 1, .n = 1, .k = 2},
                            {.m = 64, .n = 384, .k = 512, .batch = 2},
                            {.m = 33, .n = 16, .k = 4098}};
  std::uint64_t seed = 0;
  for (auto problem : shapes)
    for (const auto side : all_sides())
      for (const auto recipe : all_recipes) {
        problem.a = problem.w = side;
        expect_same_as_host(problem, recipe, ++seed);
      }
}

TEST_F(GpuDrawTest, TheBiasInEachOutputType) {
  for (const auto out : {DType::f32, DType::f16, DType::bf16})
    for (const auto recipe : all_recipes)
      expect_same_as_host({.m = 3, .n = 1001, .k = 64, .out = out, .epilogue = {.bias = true}}, recipe, 9);
}

TEST_F(GpuDrawTest, LargeOperandsOfUnlikeSides) {
  expect_same_as_host(parse_problem("3000x2501x2048:e4m3/1x128:e4m3/128x128:bf16"), Recipe::gaussian, 1);
  expect_same_as_host(parse_problem("3001x999x4096:int8/row:int8/tensor:bf16"), Recipe::wide_exponents, 2);
  expect_same_as_host(parse_problem("5000x3000x2048:bf16:f32:f32"), Recipe::gaussian, 3);
  expect_same_as_host(parse_problem("4096x4096x4096:a4w4"), Recipe::nan_scales, 4);
}

TEST_F(GpuDrawTest, ResidualsAndLayouts) {
  for (const auto recipe : all_recipes)
    for (const char* text : {"33x50x64:f32:f32:bf16:batch=3:residual",
                             "33x50x66:bf16:bf16:f32:batch=2:tn:lda=40:ldw=51:stride_w=9000:ldc=64:bias:residual",
                             "40x48x128:a4w4:lda=192:ldw=130", "33x50x66:int8/row:e4m3/row:f16:tt:ldc=51:residual"})
      expect_same_as_host(parse_problem(text), recipe, 5);
}

TEST_F(GpuDrawTest, RowsThatShareE8M0ScalesAndFloatsThatCallsQuantise) {
  for (const auto recipe : all_recipes)
    for (const char* text :
         {"33x300x260:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16:batch=3",
          "33x67x300:f16/fp8_1x128:e4m3/128x128:bf16:batch=3", "5x30x130:a16w8", "5x30x130:a16w4_fp8",
          "33x67x96:e4m3/1x32:e4m3/32x32:bf16:batch=3", "5x300x130:e4m3/1x32:e4m3/32x32:bf16"})
      expect_same_as_host(parse_problem(text), recipe, 5);
}

TEST_F(GpuDrawTest, SeedsDiffer) {
  const auto problem = parse_problem("64x64x256:a4w4");
  EXPECT_NE(download(drawn(problem, Recipe::gaussian, 1).a), download(drawn(problem, Recipe::gaussian, 2).a));
}

}  // namespace
}  // namespace gemmtune
