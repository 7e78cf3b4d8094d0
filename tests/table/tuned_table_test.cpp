#include "gemmtune/table/tuned_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gemmtune {
namespace {

TunedRow row(std::string_view sizes, double time_us, std::int64_t cu_num = 2) {
  return {
      .cu_num = cu_num, .problem = parse_problem(std::string(sizes) + ":a4w4"), .time_us = time_us, .kernel_name = "k"};
}

std::vector<double> times(const TunedTable& table) {
  std::vector<double> result;
  for (const auto& r : table.rows) result.push_back(r.time_us);
  return result;
}

using Times = std::vector<double>;

TEST(TunedTable, ARowReplacesAllOfItsKey) {
  auto table = empty_table(Format::a4w4);
  for (const auto& r : {row("1x2x4", 1), row("2x2x4", 2), row("1x2x4", 3), row("1x2x4", 4, 256)})
    table.rows.push_back(r);
  EXPECT_EQ(times(with_row(table, row("1x2x4", 9))), (Times{9, 2, 4}));
  EXPECT_EQ(times(with_row(table, row("7x2x4", 9))), (Times{1, 2, 3, 4, 9}));
}

TEST(TunedTable, ManyRowsReplaceAsTheyWouldOneAfterTheOther) {
  auto table = empty_table(Format::a4w4);
  for (const auto& r : {row("1x2x4", 1), row("2x2x4", 2), row("1x2x4", 3), row("1x2x4", 4, 256)})
    table.rows.push_back(r);
  const std::vector<TunedRow> rows{row("7x2x4", 5), row("1x2x4", 6), row("7x2x4", 7), row("3x2x4", 8), row("2x2x4", 9)};
  auto one_by_one = table;
  for (const auto& r : rows) one_by_one = with_row(std::move(one_by_one), r);
  EXPECT_EQ(times(with_rows(table, rows)), times(one_by_one));
  EXPECT_EQ(times(one_by_one), (Times{6, 9, 4, 7, 8}));
}

TEST(TunedTable, TunedMeansSameKeyAndATime) {
  auto table = empty_table(Format::a4w4);
  table.rows = {row("1x2x4", 1), row("2x2x4", 0)};
  EXPECT_TRUE(is_tuned(table, row("1x2x4", 0)));
  EXPECT_FALSE(is_tuned(table, row("1x2x4", 0, 256)));
  EXPECT_FALSE(is_tuned(table, row("2x2x4", 0))) << "a placeholder without a time is not a result";
}

TEST(TunedTable, TheKeyHasGfxWhereTheTableDoes) {
  auto other_gpu = row("1x2x4", 1);
  other_gpu.gfx = "gfx942";
  auto table = empty_table(Format::a4w4);
  table.rows = {row("1x2x4", 1)};
  EXPECT_TRUE(is_tuned(table, other_gpu));
  table.columns.insert(table.columns.begin(), Column{"gfx", Field::gfx});
  EXPECT_FALSE(is_tuned(table, other_gpu));
}

TEST(TunedTable, LayoutsAndEpiloguesArePartsOfAKeyInOurOwnSchema) {
  const auto spread = parse_problem("1x8x4:a4w4:lda=6:silu:residual");
  const auto seed = empty_table(Format::a4w4);
  const auto own = empty_table(Format::a4w4, Schema::gemmtune);
  EXPECT_FALSE(says_layout_and_epilogue(seed, spread));
  EXPECT_TRUE(says_layout_and_epilogue(seed, parse_problem("1x8x4:a4w4")));
  EXPECT_TRUE(says_layout_and_epilogue(own, spread));
  EXPECT_EQ(as_read_back(own, spread), spread);
  auto table = own;
  table.rows = {row("1x8x4", 1)};
  auto other = row("1x8x4", 2);
  other.problem = spread;
  EXPECT_FALSE(is_tuned(table, other));
  EXPECT_TRUE(is_tuned(with_row(table, other), other));
  EXPECT_EQ(with_row(table, other).rows.size(), 2U);
}

TEST(TunedTable, SortsNBeforeM) {
  auto table = empty_table(Format::a4w4);
  table.rows = {row("1x8x4", 1), row("16x2x4", 2), row("1x2x8", 3), row("1x2x4", 4), row("1x2x4", 5, 1)};
  EXPECT_EQ(times(sorted(table)), (Times{5, 4, 3, 2, 1}));
}

TEST(TunedTable, SortingDoesNotDependOnTheOrderBefore) {
  auto table = empty_table(Format::a4w4);
  for (int m = 1; m < 5; ++m)
    for (int n = 1; n < 5; ++n) table.rows.push_back(row(fmt::format("{}x{}x4", m, n), m * 10 + n));
  const auto expected = times(sorted(table));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::shuffle(table.rows.begin(), table.rows.end(), std::mt19937_64(seed));
    EXPECT_EQ(times(sorted(table)), expected) << "seed " << seed;
  }
}

TEST(TunedTable, SaysWhatAProblemWouldBeReadBackAs) {
  const auto table = empty_table(Format::a4w4);
  const auto plain = parse_problem("1x2x4:a4w4");
  EXPECT_EQ(as_read_back(table, plain), plain);
  EXPECT_EQ(as_read_back(table, parse_problem("1x2x4:a4w4:out=f32")), plain);
  const auto bf16 = empty_table(Format::a16w16);
  for (const auto* text : {"1x2x4:f16:f16:f32:bias:packed", "1x2x4:f32:f32:f32", "1x2x4:e4m3/tensor:e4m3/tensor:bf16"})
    EXPECT_EQ(as_read_back(bf16, parse_problem(text)), parse_problem(text));
}

TEST(TunedTable, ManyRowsAreFoundAsOneIs) {
  auto table = empty_table(Format::a4w4);
  table.rows = {row("1x2x4", 0), row("2x2x4", 2), row("1x2x4", 3), row("1x2x4", 4), row("3x2x4", 0)};
  const TunedRows rows(table);
  for (const auto* sizes : {"1x2x4", "2x2x4", "3x2x4", "4x2x4"}) {
    const auto wanted = row(sizes, 0);
    const auto slow = find_tuned(table, wanted);
    const auto* fast = rows.find(wanted);
    ASSERT_EQ(fast != nullptr, slow.has_value()) << sizes;
    if (fast != nullptr) {
      EXPECT_EQ(*fast, *slow) << sizes;
    }
  }
}

}  // namespace
}  // namespace gemmtune
