#include "gemmtune/report/comparison_grids.h"

#include <gtest/gtest.h>

#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

std::vector<std::string> names(const Grid& grid) {
  std::vector<std::string> names;
  for (const auto& column : grid.columns) names.push_back(column.name);
  return names;
}

std::vector<std::string> texts(const std::vector<GridCell>& row) {
  std::vector<std::string> texts;
  for (const auto& cell : row) texts.push_back(cell.text + (cell.strong ? "!" : ""));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(ComparisonGrids, Shapes) {
  const auto grid = comparison_grid(compare({timed(1, "asm", 4), timed(1, "ck", 4), timed(2, "asm", 0)}));
  EXPECT_EQ(names(grid), (Texts{"M", "N", "K", "asm", "ck", "best", "asm/best other"}));
  EXPECT_EQ(texts(grid.rows[0]), (Texts{"1", "512", "4096", "1.05!", "1.05!", "asm=ck", "1.000"}));
  EXPECT_EQ(texts(grid.rows[1]), (Texts{"2", "512", "4096", "-", "-", "none", "-"}));
}

TEST(ComparisonGrids, WhatDiffersIsAColumn) {
  auto other = timed(1, "ck", 4);
  other.shape.problem = parse_problem("1x512x4096:bf16:bf16:bf16");
  auto elsewhere = timed(2, "ck", 4);
  elsewhere.shape.device = {};
  const auto comparison = compare({timed(1, "asm", 4), other, elsewhere});
  EXPECT_EQ(names(comparison_grid(comparison))[3], "types");
  EXPECT_EQ(names(comparison_grid(comparison))[4], "device");
  EXPECT_EQ(caption(comparison), "3 shapes");
  EXPECT_EQ(shape_text(comparison, other.shape), "1x512x4096:bf16:bf16:bf16 on gfx950/256");
  EXPECT_EQ(shape_text(comparison, elsewhere.shape), "2x512x4096:e2m1/1x32:e2m1/1x32:bf16:packed on not said");
}

TEST(ComparisonGrids, WhatAllShareIsSaidOnce) {
  const auto comparison = compare({timed(7, "asm", 4)});
  EXPECT_EQ(caption(comparison), "1 shape, types e2m1/1x32:e2m1/1x32:bf16:packed, device gfx950/256");
  EXPECT_EQ(shape_text(comparison, invented_shape(7)), "7x512x4096");
  auto unknown = timed(7, "asm", 4);
  unknown.shape.types_known = false;
  unknown.shape.problem.batch = 3;
  EXPECT_EQ(shape_text(unknown.shape), "7x512x4096:batch=3");
  EXPECT_EQ(caption(compare({unknown})), "1 shape, types not said, device gfx950/256");
}

TEST(ComparisonGrids, Rates) {
  EXPECT_EQ(rate_text(5806.15), "5806.1");
  EXPECT_EQ(rate_text(12.345), "12.35");
  EXPECT_EQ(rate_text(0.01234), "0.0123");
}

TEST(ComparisonGrids, ListsAreCut) {
  std::vector<Measurement> measurements;
  for (int m = 1; m <= 5; ++m) {
    measurements.push_back(timed(m, "asm", 4));
    measurements.push_back(timed(m, "ck", 2));
    measurements.push_back(timed(m, "triton", 0));
  }
  const auto comparison = compare(measurements);
  EXPECT_EQ(lost_grid(comparison, 3).rows.size(), 3U);
  EXPECT_EQ(texts(lost_grid(comparison, 3).rows[0]),
            (Texts{"1x512x4096", "1.05", "2.10!", "ck", "0.500", "ck_kernel"}));
  EXPECT_EQ(skipped_grid(comparison, SkipReason::no_time, 2).rows.size(), 2U);
  EXPECT_TRUE(skipped_grid(comparison, SkipReason::failed, 2).rows.empty());
}

TEST(ComparisonGrids, Devices) {
  EXPECT_EQ(to_string(DeviceTag{}), "");
  EXPECT_EQ(to_string(DeviceTag{.gfx = "sm90", .cu_num = 132}), "sm90/132");
  EXPECT_EQ(to_string(DeviceTag{.gfx = "sm90"}), "sm90/?");
}

}  // namespace
}  // namespace gemmtune
