#include "gemmtune/families/fp8_block/block_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "gemmtune/families/fp8_block/block_cost.h"
#include "tests/families/check/in_call.h"
#include "tests/families/fp8_block_stream/block_scaled.h"
#include "tests/support/hopper.h"
#include "tests/support/points_and_names.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_family();

namespace {

constexpr std::int64_t multiprocessors = 132;

std::vector<BlockTile> tiles_of(const std::string& sizes) {
  std::vector<BlockTile> tiles;
  const Space space = block_space(block_scaled(sizes), h100);
  for (const auto& point : space.points()) tiles.push_back(block_tile(point));
  return tiles;
}

bool has(const std::string& sizes, const BlockTile& tile) { return std::ranges::count(tiles_of(sizes), tile) == 1; }

TEST(BlockSpace, CallsThatQuantiseHaveTheCandidatesOfTheProduct) {
  const auto family = make_fp8_block_family();
  for (const char* text : {"4096x2112x7168:a16w8_blockscale", "100x576x512:f16/fp8_1x128:e4m3/128x128:f32:bias:packed"})
    check::expect_candidates_of_product(*family, text, h100);
  EXPECT_EQ(check::why_not(*family, "64x8x128:a16w8_blockscale", h100), "is for more than 64 rows of A");
}

TEST(BlockSpace, EachPointIsAKernelAndItsNameSaysWhich) {
  for (const auto* sizes : {"65x64x128", "128x2112x7168", "128x24576x1536", "128x7168x16384", "300x576x384",
                            "4096x2112x7168", "4096x32768x512", "4096x7168x2048", "8192x8192x8192"}) {
    SCOPED_TRACE(sizes);
    const auto problem = block_scaled(sizes);
    expect_kernels_with_names(block_space(problem, h100), 600, block_tile,
                              [&](const BlockTile& tile) { return why_no_block_gemm(problem, tile, multiprocessors); });
  }
}

TEST(BlockSpace, WhatIsMultipliedHasATile) {
  for (const std::string m : {"65", "130"})
    for (const std::string n : {"1", "64", "96"})
      for (const std::string k : {"128", "8192"}) {
        const auto sizes = m + "x" + n + "x" + k;
        EXPECT_FALSE(tiles_of(sizes).empty()) << sizes;
      }
}

TEST(BlockSpace, LargeProductsHaveLargeTilesInBothShapes) {
  for (const auto* sizes : {"4096x7168x16384", "8192x8192x8192"}) {
    EXPECT_TRUE(has(sizes, {.cluster_n = 2}));
    EXPECT_TRUE(has(sizes, {.block_m = 128, .block_n = 256, .stages = 3, .cluster_m = 2}));
    EXPECT_TRUE(has(sizes, {.stages = 3, .cluster_n = 2}));
  }
}

/// 272 tiles of 256x128 are two rounds of 132 and eight more, which K divides.
TEST(BlockSpace, TilesThatAreLeftOverAreDividedAlongK) {
  const auto problem = block_scaled("4096x2112x7168");
  const BlockTile tile{.split_k = 4};
  const auto rounds = block_rounds(problem, tile, multiprocessors);
  EXPECT_EQ(rounds.tiles, 272);
  EXPECT_EQ(rounds.whole, 264);
  EXPECT_EQ(rounds.divided(), 8);
  EXPECT_EQ(block_rounds(problem, {}, multiprocessors).divided(), 0);
  EXPECT_LT(block_clocks(problem, tile, multiprocessors), 0.9 * block_clocks(problem, {}, multiprocessors));
  EXPECT_TRUE(has("4096x2112x7168", tile));
}

TEST(BlockSpace, FewTilesAreAllDividedAlongK) {
  const auto problem = block_scaled("128x576x7168");
  EXPECT_EQ(block_rounds(problem, {.block_m = 128, .split_k = 8}, multiprocessors).whole, 0);
  for (const auto& tile : tiles_of("128x576x7168")) EXPECT_GT(tile.split_k, 1);
  for (const auto& tile : tiles_of("128x576x384")) EXPECT_EQ(tile.split_k, 1);
}

/// 4096x7168 is 28x32 tiles of 128x256, and 128x7168 fills no round. A round of 132 blocks has 128 tiles of 128x64.
TEST(BlockSpace, BlocksBeginAheadIfTheyHaveAnotherTile) {
  EXPECT_TRUE(has("4096x7168x2048", {.block_m = 128, .block_n = 256, .way = BlockWay::ahead, .stages = 3}));
  for (const auto* sizes : {"128x4096x7168", "128x7168x2048"})
    for (const auto& tile : tiles_of(sizes)) EXPECT_NE(tile.way, BlockWay::ahead) << sizes;
}

TEST(BlockSpace, FewTokensHaveNarrowTiles) {
  const auto narrow = [](const BlockTile& tile) { return tile.block_m == 128 && tile.block_n == 64; };
  for (const auto* sizes : {"128x4096x7168", "128x2112x7168"})
    EXPECT_TRUE(std::ranges::any_of(tiles_of(sizes), narrow));
  EXPECT_FALSE(std::ranges::any_of(tiles_of("8192x8192x8192"), narrow));
}

/// 4096x2112 is 272 tiles of 256x128, eight of which need a third round of 132, and 352 of 128x192 in less than three.
TEST(BlockSpace, TheFirstCandidateIsTheOneOfTheLeastEstimate) {
  const auto family = make_fp8_block_family();
  const auto problem = block_scaled("4096x2112x7168");
  const auto candidates = family->candidates(problem, h100);
  const Space space = block_space(problem, h100);
  const auto tile = [&](const Candidate& candidate) { return block_tile(space.parse(candidate.name).value()); };
  const auto clocks = [&](const Candidate& candidate) {
    return block_clocks(problem, tile(candidate), multiprocessors);
  };
  EXPECT_EQ(tile(candidates.front()).block_n, 192);
  EXPECT_EQ(clocks(candidates.front()), std::ranges::min(candidates | std::views::transform(clocks)));
  EXPECT_EQ(candidates.size(), space.points().size());
}

TEST(BlockSpace, ScalesAreCopiedForAsManyStepsAsDivideK) {
  EXPECT_EQ(block_scale_steps(block_scaled("128x128x7168")), 4);
  EXPECT_EQ(block_scale_steps(block_scaled("128x128x768")), 2);
  EXPECT_EQ(block_scale_steps(block_scaled("128x128x1152")), 1);
}

TEST(BlockSpace, SaysWhatItDoesNotDo) {
  const auto why_not = [](const std::string& text) { return why_not_block(parse_problem(text), h100); };
  EXPECT_EQ(why_not(block_scaled_text("65x1x128")), "");
  EXPECT_EQ(why_not(block_scaled_text("1000x2112x7168", "fp16:bias:packed:batch=3")), "");
  EXPECT_EQ(why_not(block_scaled_text("64x8x128")), "is for more than 64 rows of A");
  EXPECT_EQ(why_not(block_scaled_text("128x128x192")), "K % 128 != 0");
  const std::string formats = "multiplies e4m3 with 1x128 scales by e4m3 with 128x128 scales, and MXFP8, only";
  EXPECT_EQ(why_not("128x8x128:bf16:bf16:bf16"), formats);
  EXPECT_EQ(why_not("128x8x128:e4m3/row:e4m3/row:bf16"), formats);
  EXPECT_EQ(why_not("128x8x128:e4m3fnuz/1x128:e4m3fnuz/128x128:bf16"), formats);
  EXPECT_EQ(why_not_block(block_scaled("128x8x128"), {.kind = DeviceKind::cuda, .arch = "sm100"}),
            "runs on Hopper GPUs only");
}

TEST(BlockSpace, PartsThatCannotBeAreRefused) {
  const auto why_no = [](const std::string& sizes, const BlockTile& tile) {
    return why_no_block_gemm(block_scaled(sizes), tile, multiprocessors);
  };
  EXPECT_EQ(why_no("128x576x7168", {.split_k = 14}), "");
  EXPECT_EQ(why_no("128x576x7168", {.split_k = 15}), "K is too short for so many parts");
  EXPECT_EQ(why_no("128x576x1152", {.split_k = 9}), "");
  EXPECT_EQ(why_no("128x576x1152", {.split_k = 0}), "K is too short for so many parts");
}

/// A kernel takes its sizes from arguments, so that one compilation serves many of them.
TEST(BlockSpace, SourcesDependOnFewOfTheSizes) {
  const BlockTile tile{};
  const auto key = [&](const std::string& sizes, const std::string& rest = "bf16") {
    return cache_key(block_gemm_source(block_scaled(sizes, rest), tile), "NVRTC");
  };
  EXPECT_EQ(key("4096x2112x7168"), key("300x576x512"));
  EXPECT_NE(key("4096x2112x7168"), key("4096x2112x768"));   // scales of two steps at once
  EXPECT_NE(key("4096x2112x7168"), key("4096x2113x7168"));  // rows of C at any address
  EXPECT_NE(key("4096x2112x7168"), key("4096x2112x7168", "fp16"));
}

}  // namespace
}  // namespace gemmtune
