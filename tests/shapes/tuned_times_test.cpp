#include "gemmtune/shapes/tuned_times.h"

#include <gtest/gtest.h>

#include "gemmtune/table/aiter_csv.h"

namespace gemmtune {
namespace {

TunedTable table(const std::string& rows, const std::string& first = "cu_num") {
  return read_tuned_table(
      parse_csv(first + ",M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n" + rows, "t.csv"),
      Format::a8w8_blockscale);
}

const TunedDevice mi300{"gfx942", 304};
const Problem at_48 = parse_problem("48x64x128:a8w8_blockscale");

std::string row(const std::string& device, std::int64_t m, const std::string& us) {
  return device + "," + std::to_string(m) + ",64,128,ck,1,0," + us + ",kernel,0,0,0\n";
}

TEST(TunedTimes, FindsTheRowItselfAndTimesBetweenNeighbours) {
  TunedTimes times;
  EXPECT_TRUE(times.empty());
  times.add(table(row("304", 32, "4") + row("304", 64, "8") + row("304", 128, "nan")));
  EXPECT_EQ(times.exact(mi300, parse_problem("32x64x128:a8w8_blockscale")), 4.0);
  EXPECT_EQ(times.exact(mi300, at_48), std::nullopt);
  EXPECT_EQ(times.between_neighbours(mi300, at_48), 6.0);
  EXPECT_EQ(times.between_neighbours(mi300, parse_problem("100x64x128:a8w8_blockscale")), std::nullopt);
  EXPECT_EQ(times.between_neighbours(mi300, parse_problem("8x64x128:a8w8_blockscale")), std::nullopt);
}

TEST(TunedTimes, KeepDevicesFormatsAndSizesApart) {
  TunedTimes times;
  times.add(table(row("304", 48, "4")));
  EXPECT_EQ(times.exact({"gfx942", 80}, at_48), std::nullopt);
  EXPECT_EQ(times.exact(mi300, parse_problem("48x64x128:a8w8")), std::nullopt);
  EXPECT_EQ(times.exact(mi300, parse_problem("48x64x256:a8w8_blockscale")), std::nullopt);
}

TEST(TunedTimes, ATableWhoseRowsStateTheirProblemsIsForEveryFormat) {
  auto stated = empty_table(Format::a16w16, Schema::gemmtune);
  stated.columns = columns_for_any_format();
  stated.rows.push_back({.gfx = "gfx942", .cu_num = 304, .problem = at_48, .time_us = 4});
  TunedTimes times;
  times.add(stated);
  EXPECT_EQ(times.exact(mi300, at_48), 4.0);
  EXPECT_EQ(times.exact(mi300, parse_problem("48x64x128:a8w8")), std::nullopt);
}

TEST(TunedTimes, ATableThatNamesGfxServesThatOne) {
  TunedTimes times;
  times.add(table(row("gfx950,256", 48, "4"), "gfx,cu_num"));
  EXPECT_EQ(times.exact({"gfx950", 256}, at_48), 4.0);
  EXPECT_EQ(times.exact({"gfx942", 256}, at_48), std::nullopt);
}

TEST(TunedTimes, TheFastestRowCounts) {
  TunedTimes times;
  times.add(table(row("304", 48, "4") + row("304", 48, "3")));
  times.add(table(row("304", 48, "5")));
  EXPECT_EQ(times.exact(mi300, at_48), 3.0);
}

/// Packed weights, a bias or the output's type are not in every table's columns.
TEST(TunedTimes, WhatATableCannotSayItServes) {
  TunedTimes times;
  times.add(table(row("304", 48, "4")));
  auto biased = at_48;
  biased.epilogue.bias = true;
  EXPECT_EQ(times.exact(mi300, biased), 4.0);
}

}  // namespace
}  // namespace gemmtune
