#include "gemmtune/families/folded_wgmma_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/support/hopper.h"

namespace gemmtune::folded_wgmma {
namespace {

std::vector<WgmmaTile> tiles(const Problem& problem, FoldType type) {
  std::vector<WgmmaTile> tiles;
  const Space space = space_of(problem, type, h100);
  for (const auto& point : space.points()) tiles.push_back(tile_of(point));
  return tiles;
}

TEST(WgmmaSpace, EachPointIsAKernelAndItsNameSaysWhich) {
  for (const auto type : {FoldType::int8, FoldType::e4m3})
    for (const auto& problem : {a4w4(8192, 8192, 8192), a4w4(16, 1000, 7168), a4w4(1, 1, 32), a4w4(300, 1536, 96)}) {
      const Space space = space_of(problem, type, h100);
      const auto points = space.points();
      ASSERT_FALSE(points.empty()) << to_string(problem);
      std::set<std::string> names;
      for (const auto& point : points) {
        EXPECT_EQ(why_no_wgmma(product_of(problem, type, point), tile_of(point)), "");
        const auto name = space.name(point);
        EXPECT_TRUE(names.insert(name).second) << name;
        const auto parsed = space.parse(name);
        ASSERT_TRUE(parsed) << name;
        EXPECT_EQ(tile_of(*parsed), tile_of(point));
      }
    }
}

TEST(WgmmaSpace, LargeProductsAreNotSplitAndSmallOnesFillTheDevice) {
  const auto is_split = [](const WgmmaTile& tile) { return tile.split_k > 1; };
  EXPECT_TRUE(std::ranges::none_of(tiles(a4w4(16384, 16384, 32768), FoldType::int8), is_split));
  const auto small = a4w4(128, 1536, 7168);
  const auto blocks = [&](const WgmmaTile& tile) {
    return wgmma_tiles(small, tile) * tile.cluster_m * tile.cluster_n * tile.split_k;
  };
  const auto all = tiles(small, FoldType::int8);
  EXPECT_TRUE(std::ranges::any_of(all, [&](const WgmmaTile& tile) { return blocks(tile) >= 120; }));
  EXPECT_TRUE(std::ranges::all_of(all, [&](const WgmmaTile& tile) { return blocks(tile) <= 264; }));
}

/// Four pieces of C of each warp are all that a tile of 128x256 has. A longer ring leaves memory for two.
TEST(WgmmaSpace, RingsAreAsLongAsMemoryAllowsOrLeaveItToC) {
  EXPECT_EQ(wgmma_staging({.block_m = 128, .block_n = 256, .stages = 4}), 2);
  EXPECT_EQ(wgmma_staging({.block_m = 128, .block_n = 256, .stages = 3}), 4);
  std::set<std::int64_t> stages;
  for (const auto& tile : tiles(a4w4(8192, 8192, 8192), FoldType::int8))
    if (tile.block_m == 128 && tile.block_n == 256) stages.insert(tile.stages);
  EXPECT_EQ(stages, (std::set<std::int64_t>{3, 4}));
}

TEST(WgmmaSpace, OnlyFoldedSumsOfFp8ArePromoted) {
  for (const auto& tile : tiles(a4w4(4096, 4096, 4096), FoldType::int8)) EXPECT_EQ(tile.promote_k, 0);
  for (const auto& tile : tiles(a4w4(4096, 4096, 4096), FoldType::e4m3)) EXPECT_GE(tile.promote_k, 128);
}

TEST(WgmmaSpace, SaysWhatItDoesNotDo) {
  EXPECT_EQ(why_unsupported(a4w4(8, 8, 64), FoldType::int8, h100), "");
  auto unpacked = a4w4(8, 8, 64);
  unpacked.packed = false;
  EXPECT_NE(why_unsupported(unpacked, FoldType::int8, h100), "");
  EXPECT_NE(why_unsupported(parse_problem("8x8x64:bf16:bf16:bf16"), FoldType::int8, h100), "");
  EXPECT_NE(why_unsupported(a4w4(8, 8, 64), FoldType::int8, {.kind = DeviceKind::cuda, .arch = "sm80"}), "");
  // 96 · 96 · K must stay below 2^31.
  EXPECT_EQ(why_unsupported(a4w4(8, 8, 233'000 / 32 * 32), FoldType::int8, h100), "");
  EXPECT_NE(why_unsupported(a4w4(8, 8, 233'056), FoldType::int8, h100), "");
  EXPECT_EQ(why_unsupported(a4w4(8, 8, 233'056), FoldType::e4m3, h100), "");
}

}  // namespace
}  // namespace gemmtune::folded_wgmma
