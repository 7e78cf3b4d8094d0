#include "gemmtune/families/fp8_block/block_tile.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

std::string why_no(const BlockTile& tile, DType out = DType::bf16) { return why_no_block_tile(tile, out); }

TEST(BlockTile, PiecesAreAsWideAsTheWayAllows) {
  const auto columns = [](BlockTile tile) { return block_piece_columns(tile); };
  EXPECT_EQ(columns({}), 128);
  EXPECT_EQ(columns({.block_m = 128, .block_n = 256}), 128);
  EXPECT_EQ(columns({.block_m = 128, .block_n = 192}), 192);
  EXPECT_EQ(columns({.block_m = 64, .block_n = 256, .row_groups = 1, .way = BlockWay::two}), 128);
}

/// 256x128 with four stages leaves memory for one piece of C of each warp, and with three for all four.
TEST(BlockTile, MemoryOfARingAndOfC) {
  EXPECT_EQ(block_staging({.stages = 3}), 4);
  EXPECT_EQ(block_staging({.stages = 4}), 1);
  EXPECT_EQ(block_shared_bytes({.stages = 4}), 4 * (49'152 + 16) + 16'384 + 48 * 260 + 192 + 16);
  EXPECT_EQ(why_no({.stages = 4}), "");
  EXPECT_EQ(why_no({.stages = 5}), "needs 274912 bytes of shared memory, and a block has 232448");
}

TEST(BlockTile, SumsMustFitIntoRegisters) {
  EXPECT_EQ(why_no({.way = BlockWay::two, .stages = 3}), "sums do not fit into registers");
  EXPECT_EQ(why_no({.block_n = 96, .way = BlockWay::two}), "two pieces in flight need 64 rows of a warpgroup");
  EXPECT_EQ(why_no({.block_n = 192, .stages = 3}), "sums do not fit into registers");
  EXPECT_EQ(why_no({.block_m = 128, .way = BlockWay::two}), "");
}

TEST(BlockTile, TilesThatCannotBeAreRefused) {
  EXPECT_NE(why_no({.block_m = 192}), "");
  EXPECT_NE(why_no({.block_n = 0}), "");
  EXPECT_NE(why_no({.block_n = 120}), "");
  EXPECT_NE(why_no({.row_groups = 0}), "");
  EXPECT_NE(why_no({.row_groups = 1}), "");  // 256 rows
  EXPECT_NE(why_no({.block_m = 64}), "");    // 32 rows of each warpgroup
  EXPECT_NE(why_no({.block_m = 128, .block_n = 96, .row_groups = 1}), "");
  EXPECT_NE(why_no({.block_m = 128, .block_n = 48}), "");
  EXPECT_EQ(why_no({.block_m = 128, .block_n = 48}, DType::f32), "");  // rows of 128 bytes of C
  EXPECT_NE(why_no({.cluster_m = 0}), "");
  EXPECT_NE(why_no({.cluster_m = 2, .cluster_n = 4}), "");
  EXPECT_NE(why_no({.cluster_m = 3}), "");
  EXPECT_NE(why_no({.stages = 1}), "");
  EXPECT_NE(why_no({.group = 0}), "");
}

TEST(BlockTile, BytesAndClocksOfAStep) {
  EXPECT_EQ(block_step_clocks({}), 1024);
  EXPECT_EQ(block_step_bytes({}), (96 + 48) * 1024);
  EXPECT_EQ(block_step_bytes({.block_m = 128, .block_n = 256}), (96 + 48) * 1024);
  EXPECT_EQ(block_step_bytes({.block_m = 128}), (48 + 32) * 1024);
}

}  // namespace
}  // namespace gemmtune
