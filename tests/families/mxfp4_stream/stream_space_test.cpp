#include "gemmtune/families/mxfp4_stream/stream_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/support/hopper.h"

namespace gemmtune::mxfp4_stream {
namespace {

std::vector<StreamTile> tiles(const Problem& problem, Kind kind) {
  std::vector<StreamTile> tiles;
  const Space space = space_of(problem, kind, h100);
  for (const auto& point : space.points()) tiles.push_back(tile_of(point));
  return tiles;
}

TEST(StreamSpace, EachPointIsAKernelAndItsNameSaysWhich) {
  for (const auto kind : {Kind::skinny, Kind::fused})
    for (const auto& problem : {a4w4(1, 57344, 8192), a4w4(16, 8192, 28672), a4w4(5, 1000, 7168), a4w4(8, 64, 32),
                                a4w4(13, 1536, 96), a4w4(16, 1, 18816)}) {
      const Space space = space_of(problem, kind, h100);
      const auto points = space.points();
      ASSERT_FALSE(points.empty()) << to_string(problem);
      EXPECT_LE(points.size(), 80U) << to_string(problem);
      std::set<std::string> names;
      for (const auto& point : points) {
        EXPECT_EQ(why_no_stream(problem, tile_of(point)), "");
        const auto name = space.name(point);
        EXPECT_TRUE(names.insert(name).second) << name;
        const auto parsed = space.parse(name);
        ASSERT_TRUE(parsed) << name;
        EXPECT_EQ(tile_of(*parsed), tile_of(point));
      }
    }
}

TEST(StreamSpace, FusedHasKernelsForAllItsRows) {
  for (std::int64_t m = 1; m <= 512; m += m < 140 ? 1 : 31) {
    const auto all = tiles(a4w4(m, 8192, 8192), Kind::fused);
    ASSERT_FALSE(all.empty()) << m;
    for (const auto& tile : all) EXPECT_TRUE(tile.rows_a >= m || m > 128) << m << " rows by " << tile.rows_a;
  }
}

TEST(StreamSpace, SkinnyTakesAnyScales) {
  for (const auto& tile : tiles(a4w4(16, 8192, 8192), Kind::skinny)) EXPECT_EQ(tile.scales, StreamScales::block);
}

TEST(StreamSpace, FewRowsOfWeightsAreSplitAlongK) {
  const auto all = tiles(a4w4(16, 1536, 7168), Kind::skinny);
  EXPECT_TRUE(std::ranges::all_of(all, [](const StreamTile& tile) { return tile.cluster * tile.k_groups >= 2; }));
  const auto short_k = tiles(a4w4(16, 1536, 256), Kind::skinny);
  EXPECT_TRUE(std::ranges::all_of(short_k, [](const StreamTile& tile) { return tile.cluster * tile.k_groups == 1; }));
}

TEST(StreamSpace, SaysWhatItDoesNotDo) {
  EXPECT_EQ(why_unsupported(a4w4(16, 8, 64), Kind::skinny, h100), "");
  EXPECT_NE(why_unsupported(a4w4(17, 8, 64), Kind::skinny, h100), "");
  EXPECT_EQ(why_unsupported(a4w4(512, 8, 64), Kind::fused, h100), "");
  EXPECT_NE(why_unsupported(a4w4(513, 8, 64), Kind::fused, h100), "");
  EXPECT_NE(why_unsupported(a4w4(16, 8, 48), Kind::skinny, h100), "");
  EXPECT_NE(why_unsupported(parse_problem("8x8x64:bf16:bf16:bf16"), Kind::fused, h100), "");
  EXPECT_NE(why_unsupported(a4w4(8, 8, 64), Kind::fused, {.kind = DeviceKind::cuda, .arch = "sm100"}), "");
  auto unpacked = a4w4(8, 8, 64);
  unpacked.packed = false;
  EXPECT_NE(why_unsupported(unpacked, Kind::skinny, h100), "");
}

TEST(StreamSpace, KernelsThatCannotBeAreRefused) {
  const auto problem = a4w4(16, 8192, 8192);
  EXPECT_EQ(why_no_stream(problem, {}), "");
  EXPECT_NE(why_no_stream(problem, {.rows_a = 12}), "");
  EXPECT_NE(why_no_stream(problem, {.row_groups = 4, .k_groups = 2}), "");
  EXPECT_NE(why_no_stream(problem, {.cluster = 9}), "");
  EXPECT_NE(why_no_stream(problem, {.converters = 4}), "");
  EXPECT_NE(why_no_stream(problem, {.rows_a = 128, .scales = StreamScales::block}), "") << "registers";
  EXPECT_NE(why_no_stream(problem, {.k_groups = 4, .stages = 16}), "") << "shared memory";
}

}  // namespace
}  // namespace gemmtune::mxfp4_stream
