// The kernels of both spaces compile, with or without a GPU. For the compiler, tiles and output types matter, and sizes
// do not. Each kernel takes a second or two, so only as many tiles are tried as have every pair of parameters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/folded_wgmma_space.h"
#include "tests/support/covering_pairs.h"
#include "tests/support/expect_compiles.h"
#include "tests/support/hopper.h"

namespace gemmtune::folded_wgmma {
namespace {

class Compiles : public testing::TestWithParam<FoldType> {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_wgmma"), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  void expect_compiles(const KernelSource& source) const { gemmtune::expect_compiles(*compiler_, source); }

  std::unique_ptr<KernelCompiler> compiler_;
};

/// Of tiles that differ only in the length of the ring and in clusters, one stands for all.
TEST_P(Compiles, EveryTile) {
  const auto problem = parse_problem("1024x2048x8192:e2m1/1x32:e2m1/1x32:bf16:packed");
  std::map<std::vector<std::int64_t>, KernelSource> sources;
  const Space space = space_of(problem, GetParam(), h100);
  for (const auto& point : covering_pairs(space.points()))
    sources.emplace(std::vector{point["base"], point["m"], point["n"], point["p"]},
                    wgmma_source(product_of(problem, GetParam(), point), tile_of(point)));
  EXPECT_GE(sources.size(), 4U);
  for (const auto& [kind, source] : sources) expect_compiles(source);
}

TEST_P(Compiles, EveryOutput) {
  for (const std::string out : {"bf16", "fp16", "f32"})
    for (const std::string bias : {"", ":bias"})
      for (const int n : {8192, 8191}) {
        if ((n % 2 == 1) != (bias.empty() == (out == "fp16"))) continue;  // half of them, with every pair
        const auto text = fmt::format("64x{}x8192:e2m1/1x32:e2m1/1x32:{}:packed{}", n, out, bias);
        const std::int64_t promote_k = GetParam() == FoldType::int8 ? 0 : 256;
        expect_compiles(
            wgmma_source({parse_problem(text), GetParam()}, {.block_n = 64, .stages = 6, .promote_k = promote_k}));
      }
}

INSTANTIATE_TEST_SUITE_P(Types, Compiles, testing::Values(FoldType::int8, FoldType::e4m3),
                         [](const auto& type) { return type.param == FoldType::int8 ? "int8" : "e4m3"; });

}  // namespace
}  // namespace gemmtune::folded_wgmma
