// The kernels of both spaces compile, with or without a GPU. For the compiler, tiles and output types matter, and sizes
// do not. Of kernels that differ only in the length of a ring or in how many warps convert, one stands for all. Of the
// rest, as many are compiled as have every pair of parameters: each takes more than a second.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/mxfp4_fused/fused_space.h"
#include "gemmtune/families/mxfp4_skinny/skinny_space.h"
#include "tests/support/covering_pairs.h"
#include "tests/support/expect_compiles.h"
#include "tests/support/hopper.h"

namespace gemmtune::small_m {
namespace {

template <typename Tile>
std::vector<Point> points_of(const std::map<Tile, Point>& kinds) {
  std::vector<Point> points;
  for (const auto& [tile, point] : kinds) points.push_back(point);
  return points;
}

class SmallMCompiles : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_small_m"), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  void add(const KernelSource& source) { sources_.emplace(cache_key(source, compiler_->version()), source); }

  void add_skinny(const Problem& problem) {
    std::map<SkinnyTile, Point> kinds;
    const Space space = skinny_space(problem, h100);
    for (const auto& point : space.points()) {
      auto alike = skinny_tile(point);
      alike.stages = alike.converters = 0;
      kinds.emplace(alike, point);
    }
    for (const auto& point : covering_pairs(points_of(kinds))) add(skinny_source(problem, skinny_tile(point)));
    add(small_m_pack_source(PackedScales::block));
  }

  void add_fused(const Problem& problem) {
    std::map<FusedTile, Point> kinds;
    const Space space = fused_space(problem, h100);
    for (const auto& point : space.points()) {
      auto alike = fused_tile(point);
      alike.stages = 0;
      kinds.emplace(alike, point);
    }
    for (const auto& point : covering_pairs(points_of(kinds)))
      for (const auto& source : fused_sources(problem, fused_tile(point))) add(source);
  }

  void expect_all_compile() const {
    for (const auto& [key, source] : sources_) expect_compiles(*compiler_, source);
  }

  std::unique_ptr<KernelCompiler> compiler_;
  std::map<std::string, KernelSource> sources_;
};

Problem a4w4(const std::string& sizes, const std::string& rest = "bf16:packed") {
  return parse_problem(sizes + ":e2m1/1x32:e2m1/1x32:" + rest);
}

TEST_F(SmallMCompiles, TilesOfSkinny) {
  for (const char* sizes : {"8x57344x8192", "16x8192x8192", "64x8192x8192"}) add_skinny(a4w4(sizes));
  EXPECT_GE(sources_.size(), 8U);
  expect_all_compile();
}

TEST_F(SmallMCompiles, TilesOfFused) {
  for (const char* sizes : {"16x57344x8192", "32x8192x8192", "64x57344x8192", "96x8192x8192", "128x57344x8192"})
    add_fused(a4w4(sizes));
  EXPECT_GE(sources_.size(), 10U);
  expect_all_compile();
}

TEST_F(SmallMCompiles, EveryOutput) {
  for (const std::string out : {"bf16", "fp16", "f32"})
    for (const std::string bias : {"", ":bias"}) {
      const auto problem = a4w4("16x8192x8192", fmt::format("{}:packed{}", out, bias));
      add(skinny_source(problem, {}));
      add(fused_source(problem, {}));
    }
  EXPECT_EQ(sources_.size(), 12U);
  expect_all_compile();
}

}  // namespace
}  // namespace gemmtune::small_m
