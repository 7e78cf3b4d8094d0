// Every candidate on operands that are hard: rows and scales far apart, NaN and infinity.
#include <gtest/gtest.h>

#include <memory>

#include "tests/families/check/family_check.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_cpu_tile_family();

namespace {

TEST(CpuTileRecipes, EveryCandidateIsRight) {
  const auto family = make_cpu_tile_family();
  for (const char* problem : {"5x33x130:f32:f32:f32:bias", "5x33x130:f32:f32:f32:packed", "3x33x130:bf16:bf16:bf16",
                              "3x33x130:fp16:fp16:fp16", "3x33x130:f32:bf16:f32", "3x33x130:e4m3/row:e4m3/row:bf16",
                              "3x140x300:e4m3/1x128:e4m3/128x128:bf16", "3x33x130:int8/row:int8/row:bf16:packed",
                              "3x33x320:e2m1/1x32:e2m1/1x32:bf16:packed", "3x33x320:bf16/q8:e2m1/1x32:bf16:packed",
                              "3x33x320:f32:e2m1/1x32:f32:packed", "3x33x320:bf16/q8:int4/1x32f16:bf16:packed"})
    for (const Recipe recipe : {Recipe::wide_rows, Recipe::nan_inf})
      for (const std::uint64_t seed : {3, 4, 5}) {
        if (!family->supports(parse_problem(problem), check::this_cpu())) continue;
        EXPECT_EQ(check::why_any_wrong(*family, {.problem = problem, .recipe = recipe, .seed = seed}), "");
      }
}

}  // namespace
}  // namespace gemmtune
