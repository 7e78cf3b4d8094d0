#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "gemmtune/families/mxfp4_fused/fused_space.h"
#include "gemmtune/families/mxfp4_skinny/skinny_space.h"
#include "tests/support/hopper.h"

namespace gemmtune::small_m {
namespace {

template <typename Tile>
std::vector<Tile> tiles_of(const Space& space, Tile (*tile_of)(const Point&)) {
  std::vector<Tile> tiles;
  for (const auto& point : space.points()) tiles.push_back(tile_of(point));
  return tiles;
}

std::vector<SkinnyTile> skinny_tiles(const Problem& problem) {
  return tiles_of(skinny_space(problem, h100), skinny_tile);
}
std::vector<FusedTile> fused_tiles(const Problem& problem) { return tiles_of(fused_space(problem, h100), fused_tile); }

/// Names must be unique and parse back to the same tiles.
template <typename Tile>
void expect_names_say_all(const Space& space, Tile (*tile_of)(const Point&)) {
  const auto points = space.points();
  ASSERT_FALSE(points.empty());
  EXPECT_LE(points.size(), 80U);
  std::set<std::string> names;
  for (const auto& point : points) {
    const auto name = space.name(point);
    EXPECT_TRUE(names.insert(name).second) << name;
    const auto parsed = space.parse(name);
    ASSERT_TRUE(parsed) << name;
    EXPECT_EQ(tile_of(*parsed), tile_of(point));
  }
}

TEST(SmallMSpace, EachPointIsAKernelAndItsNameSaysWhich) {
  for (const auto& problem : {a4w4(1, 57344, 8192), a4w4(16, 8192, 28672), a4w4(5, 1000, 7168), a4w4(8, 64, 32),
                              a4w4(13, 1536, 96), a4w4(16, 1, 18816), a4w4(64, 8192, 8192), a4w4(40, 7168, 2048)}) {
    SCOPED_TRACE(to_string(problem));
    expect_names_say_all(skinny_space(problem, h100), skinny_tile);
    expect_names_say_all(fused_space(problem, h100), fused_tile);
    for (const auto& tile : skinny_tiles(problem)) EXPECT_EQ(why_no_skinny(problem, tile), "");
    for (const auto& tile : fused_tiles(problem)) EXPECT_EQ(why_no_fused(problem, tile), "");
  }
}

TEST(SmallMSpace, FusedHasKernelsForAllItsRows) {
  for (std::int64_t m = 1; m <= 512; m += m < 140 ? 1 : 31) {
    const auto all = fused_tiles(a4w4(m, 8192, 8192));
    ASSERT_FALSE(all.empty()) << m;
    for (const auto& tile : all) EXPECT_TRUE(tile.rows_a >= m || m > 128) << m << " rows by " << tile.rows_a;
  }
}

TEST(SmallMSpace, FusedHasKernelsForFewRowsOfWeights) {
  for (const auto& problem :
       {a4w4(61, 520, 4128), a4w4(125, 200, 2080), a4w4(150, 130, 1056), a4w4(33, 257, 32), a4w4(129, 333, 18816),
        a4w4(300, 7, 256), a4w4(512, 65, 96), a4w4(64, 300, 8192), a4w4(64, 64, 32768)})
    EXPECT_FALSE(fused_tiles(problem).empty()) << to_string(problem);
}

TEST(SmallMSpace, SkinnyHasKernelsForAllItsRows) {
  for (std::int64_t m = 1; m <= 64; ++m) {
    const auto all = skinny_tiles(a4w4(m, 8192, 8192));
    ASSERT_FALSE(all.empty()) << m;
    for (const auto& tile : all) EXPECT_GE(tile.rows_a, m);
  }
}

/// The spaces must contain the kernels that docs/results/h100-mxfp4-small-m.md found fastest.
TEST(SmallMSpace, HasWhatWasFastest) {
  const auto has = [](const Problem& problem, const FusedTile& tile) {
    return std::ranges::count(fused_tiles(problem), tile) == 1;
  };
  EXPECT_TRUE(has(a4w4(64, 8192, 8192), {.rows_a = 64, .row_groups = 2, .cluster = 2, .stages = 8}));
  EXPECT_TRUE(has(a4w4(64, 57344, 8192), {.rows_a = 64, .row_groups = 2, .cluster = 2, .stages = 12}));
  EXPECT_TRUE(has(a4w4(64, 57344, 8192), {.rows_a = 64, .row_groups = 2, .cluster = 1, .stages = 10}));
  EXPECT_TRUE(has(a4w4(128, 57344, 8192), {.rows_a = 128, .row_groups = 2, .cluster = 1, .stages = 8}));
  EXPECT_TRUE(has(a4w4(128, 8192, 28672), {.rows_a = 128, .row_groups = 2, .cluster = 2, .stages = 7}));
  EXPECT_TRUE(has(a4w4(32, 57344, 8192), {.rows_a = 32, .row_groups = 3, .cluster = 1, .stages = 8}));
  const auto skinny = skinny_tiles(a4w4(16, 8192, 8192));
  EXPECT_EQ(std::ranges::count(skinny, SkinnyTile{.rows_a = 16, .k_groups = 3, .stages = 3, .converters = 6}), 1);
}

TEST(SmallMSpace, FewRowsOfWeightsAreSplitAlongK) {
  const auto all = skinny_tiles(a4w4(16, 1536, 7168));
  EXPECT_TRUE(std::ranges::all_of(all, [](const SkinnyTile& tile) { return tile.cluster * tile.k_groups >= 2; }));
  const auto short_k = skinny_tiles(a4w4(16, 1536, 256));
  EXPECT_TRUE(std::ranges::all_of(short_k, [](const SkinnyTile& tile) { return tile.cluster * tile.k_groups == 1; }));
  const auto fused = fused_tiles(a4w4(64, 1536, 7168));
  EXPECT_TRUE(std::ranges::all_of(fused, [](const FusedTile& tile) { return tile.cluster >= 2; }));
}

TEST(SmallMSpace, SaysWhatItDoesNotDo) {
  EXPECT_EQ(why_not_skinny(a4w4(64, 8, 64), h100), "");
  EXPECT_NE(why_not_skinny(a4w4(65, 8, 64), h100), "");
  EXPECT_EQ(why_not_fused(a4w4(512, 8, 64), h100), "");
  EXPECT_NE(why_not_fused(a4w4(513, 8, 64), h100), "");
  for (const auto why_not : {why_not_skinny, why_not_fused}) {
    EXPECT_NE(why_not(a4w4(16, 8, 48), h100), "");
    EXPECT_NE(why_not(parse_problem("8x8x64:bf16:bf16:bf16"), h100), "");
    EXPECT_NE(why_not(a4w4(8, 8, 64), {.kind = DeviceKind::cuda, .arch = "sm100"}), "");
    auto unpacked = a4w4(8, 8, 64);
    unpacked.packed = false;
    EXPECT_NE(why_not(unpacked, h100), "");
  }
}

TEST(SmallMSpace, KernelsThatCannotBeAreRefused) {
  const auto problem = a4w4(16, 8192, 8192);
  EXPECT_EQ(why_no_skinny(problem, {}), "");
  EXPECT_NE(why_no_skinny(problem, {.rows_a = 12}), "");
  EXPECT_NE(why_no_skinny(problem, {.row_groups = 4, .k_groups = 2}), "");
  EXPECT_NE(why_no_skinny(problem, {.cluster = 9}), "");
  EXPECT_NE(why_no_skinny(problem, {.converters = 4}), "");
  EXPECT_NE(why_no_skinny(problem, {.rows_a = 64, .row_groups = 2, .k_groups = 1}), "") << "registers";
  EXPECT_NE(why_no_skinny(problem, {.k_groups = 4, .stages = 16}), "") << "shared memory";
  EXPECT_EQ(why_no_fused(problem, {}), "");
  EXPECT_NE(why_no_fused(problem, {.rows_a = 136}), "");
  EXPECT_NE(why_no_fused(problem, {.row_groups = 4}), "");
  EXPECT_NE(why_no_fused(problem, {.stages = 1}), "");
  EXPECT_NE(why_no_fused(problem, {.rows_a = 128, .row_groups = 3, .cluster = 1, .stages = 4}), "") << "registers";
  EXPECT_NE(why_no_fused(problem, {.rows_a = 128, .stages = 16}), "") << "shared memory";
}

}  // namespace
}  // namespace gemmtune::small_m
