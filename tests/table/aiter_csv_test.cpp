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

TEST(AiterCsv, SaysWhyALineCannotBeUsed) {
  const auto table = read(
      "cu_num,M,N,K,kernelId,splitK,us,kernelName\n256,1,512,4095,x,0,5.4,k\n256,1,512,4095,0,0,5.4,k\n256,x,1,1\n",
      Format::a4w4);
  std::vector<std::string> reasons;
  for (const auto& line : table.unusable_lines) reasons.push_back(line.where + ": " + line.reason);
  EXPECT_EQ(reasons,
            (std::vector<std::string>{"t.csv:2:16: kernelId: found 'x', expected a whole number",
                                      "t.csv:3:1: K = 4095 must be even: two e2m1 share a byte",
                                      "t.csv:4:9: 4 cells, the header has 8: the line was cut, or a cell is missing"}));
}

TEST(AiterCsv, ValuesAreReadWhateverTheirSpelling) {
  const auto table = read(
      "cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio\n"
      "256.0,16.0,512,4096,TRUE,dtypes.bf16,bf16,,1,x,Null,0.0,Null,k,1%\n",
      Format::a16w16);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].problem, parse_problem("16x512x4096:bf16:bf16:bf16:bias:packed"));
  EXPECT_EQ(table.rows[0].cu_num, 256);
  EXPECT_EQ(table.rows[0].err_ratio, 0.01);
  EXPECT_FALSE(has_time(table.rows[0]));
}

TEST(AiterCsv, OurOwnSchemaSaysWhereRowsComeFrom) {
  auto table = empty_table(Format::a4w4, Schema::gemmtune);
  auto row = row_for(Format::a4w4);
  row.origin = {.low_us = 1230,
                .high_us = 1240.5,
                .dispersion = 0.01,
                .samples = 21,
                .library = "cpu_tile 1",
                .device_name = "a CPU",
                .driver = "6.1",
                .policy = "confirm",
                .date = "2026-11-27T21:41:31Z"};
  table.rows = {row};
  const auto text = tuned_table_text(table);
  EXPECT_TRUE(text.ends_with(",1230.0,1240.5,0.01,21,cpu_tile 1,a CPU,6.1,confirm,2026-11-27T21:41:31Z\n")) << text;
  ASSERT_EQ(read(text, Format::a4w4).rows.size(), 1U);
  EXPECT_EQ(read(text, Format::a4w4).rows[0].origin, row.origin);
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
    if (is_aiter(format)) {
      EXPECT_THROW(read(text, other), Error) << to_string(format);
      EXPECT_THROW(read(text, Format::a8w4), Error) << to_string(format);
    } else {
      EXPECT_EQ(read(text, other).rows.at(0).problem, table.rows[0].problem) << "which the row states";
    }
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
