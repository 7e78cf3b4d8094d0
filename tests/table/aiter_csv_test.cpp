#include "gemmtune/table/aiter_csv.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

const std::filesystem::path data = std::filesystem::path(GEMMTUNE_TEST_DATA) / "table";

TunedTable read(std::string_view text, Format format) { return read_tuned_table(parse_csv(text, "t.csv"), format); }

TunedRow row_for(Format format) {
  auto problem = format_defaults(format);
  problem.m = 64;
  problem.n = 1280;
  problem.k = 8192;
  if (format == Format::batched_a16w16 || format == Format::batched_a8w8) problem.batch = 16;
  return {.gfx = "x86-64-avx2",
          .cu_num = 2,
          .problem = problem,
          .libtype = "cpu_tile",
          .split_k = 0,
          .time_us = 1234.56789,
          .kernel_name = "cpu_tile_x",
          .err_ratio = 0.01239};
}

TEST(AiterCsv, EachFormatHasItsColumns) {
  std::string all;
  for (const auto format : all_formats()) {
    auto table = empty_table(format);
    table.rows.push_back(row_for(format));
    all += std::string(to_string(format)) + "\n" + tuned_table_text(table);
  }
  EXPECT_EQ(all, read_file(data / "each_format.golden"));
}

TEST(AiterCsv, WhatIsWrittenReadsBackAndIsWrittenTheSame) {
  for (const auto format : all_formats()) {
    auto table = empty_table(format);
    table.rows.push_back(row_for(format));
    const auto text = tuned_table_text(table);
    const auto again = read(text, format);
    ASSERT_EQ(again.rows.size(), 1U) << text;
    EXPECT_EQ(again.rows[0].problem, table.rows[0].problem);
    EXPECT_EQ(again.rows[0].kernel_name, "cpu_tile_x");
    EXPECT_EQ(again.rows[0].time_us, 1234.5679);
    EXPECT_EQ(tuned_table_text(again), text);
  }
}

TEST(AiterCsv, OtherPeoplesRowsKeepTheirText) {
  const std::string text =
      "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio,note\n"
      "gfx950,256,1,512,4096,21, 0,5.4049000,_ZN5aiterE,0.7760,194.57,0.0,\"a, b\"\n";
  auto table = read(text, Format::a4w4);
  EXPECT_EQ(tuned_table_text(table), text);
  table = with_row(
      table,
      {.gfx = "sm90", .cu_num = 132, .problem = parse_problem("1x512x4096:a4w4"), .time_us = 2, .kernel_name = "fast"});
  EXPECT_EQ(tuned_table_text(table), text + "sm90,132,1,512,4096,-1,0,2.0,fast,2.1,525.82,0.0,\n");
}

TEST(AiterCsv, KeepsLinesItCannotUse) {
  const std::string text =
      "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "256,1,512,4096,21,0,5.4,good,0.78,194.57,0.0\n"
      "256,one,512,4096,21,0,5.4,bad,0.78,194.57,0.0\n"
      "256,1,512\n"
      "256,1,512,4096,21,0,5.4,long,0.78,194.57,0.0,,extra\n";
  const auto table = read(text, Format::a4w4);
  EXPECT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.unusable_lines.size(), 3U);
  EXPECT_EQ(tuned_table_text(table), text);
}

TEST(AiterCsv, PlaceholdersAreRowsWithoutATime) {
  const auto table = read(
      "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "256,1,512,4096,,,inf,,0.0,0.0,1.0\n256,2,512,4096,0,0,0.0,,0.0,0.0,0.0\n",
      Format::a4w4);
  ASSERT_EQ(table.rows.size(), 2U);
  for (const auto& row : table.rows) EXPECT_FALSE(has_time(row));
}

TEST(AiterCsv, RefusesTablesOfAnotherFormat) {
  for (const auto format : all_formats()) {
    auto table = empty_table(format);
    table.rows.push_back(row_for(format));
    const auto text = tuned_table_text(table);
    const auto other = format == Format::a16w16 ? Format::a4w4 : Format::a16w16;
    EXPECT_THROW(read(text, other), Error) << to_string(format);
  }
  try {
    read("M,N,K\n", Format::a4w4);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_STREQ(error.what(),
                 "t.csv:1:1: found columns M,N,K, expected those of an a4w4 table: "
                 "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio");
  }
}

TEST(AiterCsv, AFileThatIsNotThereIsAnEmptyTable) {
  const auto table = read_tuned_table("/nonexistent/t.csv", Format::a4w4);
  EXPECT_EQ(table, empty_table(Format::a4w4));
}

}  // namespace
}  // namespace gemmtune
