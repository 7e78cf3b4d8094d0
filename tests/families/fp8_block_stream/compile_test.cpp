// The kernels of the space compile, with or without a GPU. For the compiler, tiles and output types matter, and sizes
// do not. Of kernels that differ only in the length of a ring, one stands for all. Of the rest, as many are compiled as
// have every pair of parameters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/fp8_block_stream/block_stream_space.h"
#include "tests/families/fp8_block_stream/block_scaled.h"
#include "tests/support/covering_pairs.h"
#include "tests/support/expect_compiles.h"
#include "tests/support/hopper.h"

namespace gemmtune {
namespace {

class BlockStreamCompiles : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_block_stream"), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  void add(const KernelSource& source) { sources_.emplace(cache_key(source, compiler_->version()), source); }

  void add_space(const Problem& problem) {
    std::map<BlockStreamTile, Point> kinds;
    const Space space = block_stream_space(problem, h100);
    for (const auto& point : space.points()) {
      auto alike = block_stream_tile(point);
      alike.w_stages = alike.a_stages = 0;
      kinds.emplace(alike, point);
    }
    std::vector<Point> points;
    for (const auto& [tile, point] : kinds) points.push_back(point);
    for (const auto& point : covering_pairs(points))
      for (const auto& source : block_stream_sources(problem, block_stream_tile(point))) add(source);
  }

  void expect_all_compile() const {
    for (const auto& [key, source] : sources_) expect_compiles(*compiler_, source);
  }

  std::unique_ptr<KernelCompiler> compiler_;
  std::map<std::string, KernelSource> sources_;
};

TEST_F(BlockStreamCompiles, TilesOfAllWidths) {
  for (const char* sizes : {"1x2112x7168", "24x24576x1536", "64x7168x2048", "96x2112x7168", "128x7168x16384"})
    add_space(block_scaled(sizes));
  EXPECT_GE(sources_.size(), 30U);
  expect_all_compile();
}

TEST_F(BlockStreamCompiles, FoldedMxfp8) {
  for (const char* sizes : {"1x2112x7168", "64x7168x2048"}) add_space(parse_problem(std::string(sizes) + ":mxfp8"));
  for (const char* rest : {":mxfp8:bias", ":mxfp8:out=f32", ":e4m3/1x32:e4m3/32x32:fp16:bias:packed"})
    for (const auto& source : block_stream_sources(parse_problem(std::string("64x2112x7168") + rest), {})) add(source);
  EXPECT_GE(sources_.size(), 10U);
  expect_all_compile();
}

TEST_F(BlockStreamCompiles, EveryOutput) {
  for (const std::string out : {"bf16", "fp16", "f32"})
    for (const std::string rest : {"", ":bias", ":packed", ":bias:packed"})
      for (const auto& source : block_stream_sources(block_scaled("64x2112x7168", out + rest), {})) add(source);
  EXPECT_EQ(sources_.size(), 13U);
  expect_all_compile();
}

}  // namespace
}  // namespace gemmtune
