// The kernels of the space compile, with or without a GPU. For the compiler, tiles and output types matter, and sizes
// do not. Of kernels that differ only in the length of a ring, one stands for all. Of the rest, as many are compiled as
// have every pair of parameters.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/w4_space.h"
#include "tests/families/w4_wgmma/a16w4.h"
#include "tests/support/covering_pairs.h"
#include "tests/support/expect_compiles.h"
#include "tests/support/hopper.h"

namespace gemmtune {
namespace {

class W4Compiles : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_a16w4"), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  void add(const KernelSource& source) { sources_.emplace(cache_key(source, compiler_->version()), source); }

  void add_space(const Problem& problem) {
    std::map<W4Tile, Point> kinds;
    const Space space = w4_space(problem, h100);
    for (const auto& point : space.points()) {
      auto alike = w4_tile(point);
      alike.stages = 0;
      kinds.emplace(alike, point);
    }
    std::vector<Point> points;
    for (const auto& [tile, point] : kinds) points.push_back(point);
    for (const auto& point : covering_pairs(points))
      for (const auto& source : w4_sources(problem, w4_tile(point))) add(source);
  }

  void expect_all_compile() const {
    for (const auto& [key, source] : sources_) expect_compiles(*compiler_, source);
  }

  std::unique_ptr<KernelCompiler> compiler_;
  std::map<std::string, KernelSource> sources_;
};

TEST_F(W4Compiles, TilesOfAllWidths) {
  for (const char* sizes : {"1x8192x8192", "32x7168x2048", "128x57344x8192", "4096x8192x8192"}) add_space(a16w4(sizes));
  EXPECT_GE(sources_.size(), 20U);
  expect_all_compile();
}

TEST_F(W4Compiles, TilesOfAllWidthsForFp8) {
  for (const char* sizes : {"16x8192x8192", "4096x8192x8192"}) add_space(a8w4(sizes));
  EXPECT_GE(sources_.size(), 10U);
  expect_all_compile();
}

TEST_F(W4Compiles, EveryOutputAndScale) {
  for (const std::string out : {"bf16", "fp16", "f32"})
    for (const std::string bias : {"", ":bias"})
      for (const auto& problem : {a16w4(bias.empty() ? "16x8192x8192" : "16x8191x8192", out + bias),
                                  a16w4_nvfp4(bias.empty() ? "16x8191x8192" : "16x8192x8192", out + bias)})
        for (const auto& source : w4_sources(problem, {})) add(source);
  EXPECT_EQ(sources_.size(), 2U * (6U + 1U));
  for (const auto& [sizes, rest] : {std::pair<std::string, std::string>{"300x8192x8192", "bf16:bias"},
                                    {"300x8190x8192", "fp16"},
                                    {"300x8191x8192", "bf16"},
                                    {"300x8192x8192", "f32:bias"}}) {
    add(w4_source(a8w4(sizes, rest), {.tokens = 128}));
    add(w4_source(parse_problem(sizes + ":e4m3/tensor:e2m1/1x32:" + rest + ":packed"), {.tokens = 16}));
  }
  add(w4_source(a16w4("300x8192x8192", "fp16:bias"), {.tokens = 128}));
  expect_all_compile();
}

}  // namespace
}  // namespace gemmtune
