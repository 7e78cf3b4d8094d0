// The kernels of the space compile, with or without a GPU. For the compiler, tiles and output types matter, and most
// sizes do not. Of kernels that differ only in the length of a ring and in clusters, one stands for all.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/fp8_block/block_space.h"
#include "tests/families/check/compile_ahead.h"
#include "tests/families/fp8_block_stream/block_scaled.h"
#include "tests/support/covering_pairs.h"
#include "tests/support/expect_compiles.h"
#include "tests/support/hopper.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_family();

namespace {

class BlockCompiles : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_block"), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  void add(const Problem& problem, const BlockTile& tile) {
    const auto source = block_gemm_source(problem, tile);
    sources_.emplace(cache_key(source, compiler_->version()), source);
  }

  void add_space(const Problem& problem) {
    std::map<BlockTile, BlockTile> kinds;
    const Space space = block_space(problem, h100);
    for (const auto& point : covering_pairs(space.points())) {
      const auto tile = block_tile(point);
      auto alike = tile;
      alike.stages = alike.cluster_m = alike.cluster_n = alike.group = alike.split_k = 1;
      alike.order = {};
      kinds.emplace(alike, tile);
    }
    for (const auto& [alike, tile] : kinds) add(problem, tile);
  }

  void expect_all_compile() const {
    for (const auto& [key, source] : sources_) expect_compiles(*compiler_, source);
  }

  std::unique_ptr<KernelCompiler> compiler_;
  std::map<std::string, KernelSource> sources_;
};

TEST_F(BlockCompiles, TilesOfAllShapes) {
  for (const char* sizes : {"4096x2112x7168", "200x576x512"}) add_space(block_scaled(sizes));
  EXPECT_GE(sources_.size(), 12U);
  expect_all_compile();
}

TEST_F(BlockCompiles, FoldedMxfp8) {
  for (const auto way : {BlockWay::one, BlockWay::ahead, BlockWay::two})
    add(parse_problem("4096x7168x2048:mxfp8"), {.block_m = 128, .way = way, .cluster_n = 2});
  for (const char* rest : {":mxfp8:bias:out=f32", ":e4m3/1x32:e4m3/32x32:fp16:packed"})
    add(parse_problem(std::string("300x301x7168") + rest), {.block_m = 128});
  EXPECT_EQ(sources_.size(), 5U);
  expect_all_compile();
}

TEST_F(BlockCompiles, EveryOutput) {
  for (const std::string out : {"bf16", "fp16:bias", "f32", "f32:bias"})
    for (const std::string sizes : {"300x2112x7168", "300x301x7168"})
      for (const auto way : {BlockWay::one, BlockWay::ahead})
        add(block_scaled(sizes, out), {.block_m = 128, .way = way, .cluster_n = 2});
  EXPECT_EQ(sources_.size(), 16U);
  expect_all_compile();
}

TEST_F(BlockCompiles, ScalesOfOneAndTwoSteps) {
  for (const std::string sizes : {"300x2112x768", "300x2112x1152"})
    for (const auto way : {BlockWay::one, BlockWay::two})
      add(block_scaled(sizes), {.block_m = 128, .way = way, .cluster_m = 2, .cluster_n = 2});
  EXPECT_EQ(sources_.size(), 4U);
  expect_all_compile();
}

/// What GPU tests do before they run many kernels.
TEST_F(BlockCompiles, ManyAtOnce) {
  const std::string folder = testing::TempDir() + "gemmtune_block_at_once";
  std::filesystem::remove_all(folder);
  ASSERT_EQ(::setenv("GEMMTUNE_CACHE", folder.c_str(), 1), 0);
  const auto family = make_fp8_block_family();
  const std::string text = block_scaled_text("300x576x1152");
  const auto candidates = family->candidates(parse_problem(text), h100);
  const std::vector<Candidate> two{candidates.front(), candidates.back()};
  check::compile_ahead(*family, text, h100, two);
  ASSERT_EQ(::unsetenv("GEMMTUNE_CACHE"), 0);
  const auto compiler = KernelCompiler::open(KernelCache(folder), DeviceKind::cuda);
  for (const auto& candidate : two)
    for (const auto& source : family->kernels(parse_problem(text), candidate, h100))
      EXPECT_TRUE(compiler->has(cache_key(source, compiler->version()))) << candidate.name;
}

}  // namespace
}  // namespace gemmtune
