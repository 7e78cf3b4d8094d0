// The kernels for weights in scaled blocks that use AMX or AVX-VNNI, on CPUs that have AVX-512 only: emulated_isa.h.
#include "gemmtune/families/cpu_tile/block_gemm.h"
#include "gemmtune/families/cpu_tile/float_problem.h"
#include "int8_harness.h"
#include "tests/families/check/reference_product.h"

namespace gemmtune::cpu_tile {

const BlockKernels& emulated_int8_amx();
const BlockKernels& emulated_bf16_amx();
const BlockKernels& emulated_int8_avxvnni();

namespace {

constexpr std::uint64_t seed = 20261129;

void expect_right(const BlockKernels& kernels, const std::string& text, Recipe recipe) {
  const Problem problem = parse_problem(text);
  const HostOperands host = draw_operands(problem, recipe, seed);
  const BlockChoice choice{.kernels = &kernels,
                           .finish = float_kernels("portable").finish(sink_of(problem.out)),
                           .height = kernels.height(std::min(problem.m, kernels.tallest)),
                           .k_block = 256,
                           .n_block = 32,
                           .threads = 2};
  const auto gemm = make_block_gemm(problem, choice);
  const auto c = run_prepared(*gemm, problem, host, text);
  EXPECT_EQ(check::first_difference(problem, check::expected_product(problem, host, {}), c), "") << text;
}

class BlockEmulated : public testing::TestWithParam<Recipe> {
 protected:
  void SetUp() override {
    if (!runs_here("avx512vnni")) GTEST_SKIP() << "this CPU has no AVX-512 VNNI";
  }
};

TEST_P(BlockEmulated, Int8RowsAreRight) {
  for (const BlockKernels* kernels : {&emulated_int8_amx(), &emulated_int8_avxvnni()})
    for (const char* sizes : {"1x33x130", "5x47x100", "16x16x64", "37x70x420"})
      for (const char* types : {":bf16/q8:e2m1/1x32:bf16:packed", ":f32/q8:e2m1/1x16:f32:packed",
                                ":bf16/q8:int4/1x32f16:f32", ":bf16/q8:int8/1x32f16:f32:packed"}) {
        expect_right(*kernels, std::string(sizes) + types, GetParam());
      }
}

TEST_P(BlockEmulated, Bf16RowsAreRight) {
  for (const char* sizes : {"1x33x130", "5x47x100", "16x16x64", "37x70x420"})
    for (const char* types : {":bf16:e2m1/1x32:bf16:packed", ":bf16:e2m1/1x16:f32:packed", ":bf16:int4/1x32f16:f32"}) {
      expect_right(emulated_bf16_amx(), std::string(sizes) + types, GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(Recipes, BlockEmulated,
                         testing::Values(Recipe::gaussian, Recipe::one_sign, Recipe::wide_rows, Recipe::nan_inf,
                                         Recipe::nan_scales, Recipe::zero_blocks),
                         [](const auto& recipe) { return std::string(to_string(recipe.param)); });

}  // namespace
}  // namespace gemmtune::cpu_tile
