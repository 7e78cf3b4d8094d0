#include "gemmtune/report/bench_csv.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

Readings read(const std::string& text, const ReadingOptions& options = {}) {
  return read_bench_csv(parse_csv(text, "bench.csv"), options);
}

TEST(BenchCsv, IsToldByItsColumns) {
  EXPECT_TRUE(is_bench_csv(parse_csv("M,N,K,triton_tflops,triton_us\n")));
  EXPECT_TRUE(is_bench_csv(parse_csv("m,n,k,Gluon_TFLOPS\n")));
  EXPECT_FALSE(is_bench_csv(parse_csv("M,N,K\n")));
  EXPECT_FALSE(is_bench_csv(parse_csv("M,N,K,_us\n"))) << "the column names no backend";
  EXPECT_FALSE(is_bench_csv(parse_csv("N,K,triton_us\n")));
  EXPECT_FALSE(is_bench_csv(parse_csv("gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us\n")))
      << "a capture: what is expected was not measured";
}

TEST(BenchCsv, GivesEachBackendATime) {
  const auto readings = read("M,N,K,triton_tflops,triton_us,gluon_tflops,gluon_us\n64,512,4096,53.7,5,67.1,4\n");
  ASSERT_EQ(readings.measurements.size(), 2U);
  const auto& first = readings.measurements[0];
  EXPECT_EQ(first.backend, "triton");
  EXPECT_EQ(first.time_us, 5);
  EXPECT_EQ(first.where, "bench.csv:2");
  EXPECT_EQ(first.shape.problem.m, 64);
  EXPECT_FALSE(first.shape.types_known);
  EXPECT_EQ(readings.measurements[1].backend, "gluon");
}

TEST(BenchCsv, ComputesTheTimeWhereThereIsNone) {
  const auto readings = read("M,N,K,a_tflops,b_us,b_tflops\n1000,1000,1000,2,,0\n");
  ASSERT_EQ(readings.measurements.size(), 2U);
  EXPECT_DOUBLE_EQ(readings.measurements[0].time_us, 1000);
  EXPECT_EQ(readings.measurements[1].outcome, Outcome::unsupported);
}

TEST(BenchCsv, WhatSaysNothingIsNoMeasurement) {
  const auto readings = read("M,N,K,a_us,b_us\n1,2,4,,nan\n2,2,4\n3,2,4,inf,-1\n");
  ASSERT_EQ(readings.measurements.size(), 2U);
  for (const auto& measurement : readings.measurements) {
    EXPECT_EQ(measurement.outcome, Outcome::unsupported);
    EXPECT_EQ(measurement.shape.problem.m, 3);
  }
  EXPECT_EQ(readings.notes, std::vector<std::string>{
                                "bench.csv:3:5: 3 cells, the header has 5: the line was cut, or a cell is missing"});
}

TEST(BenchCsv, NotesWhatCannotBeRead) {
  const auto readings = read("M,N,K,a_us\n0,2,4,5\n1,2,4,fast\n1,2,4,5\n");
  EXPECT_EQ(readings.measurements.size(), 1U);
  ASSERT_EQ(readings.notes.size(), 2U);
  EXPECT_EQ(readings.notes[0], "bench.csv:2:1: M: found '0', expected a whole number above 0");
  EXPECT_EQ(readings.notes[1], "bench.csv:3:7: found 'fast', expected a number");
}

TEST(BenchCsv, TypesAndDevice) {
  const auto readings =
      read("gfx,cu_num,problem,B,M,N,K,a_us\nsm90,132,8x16x32:bf16:bf16:bf16,1,8,16,32,5\n,,,2,8,16,32,5\n");
  ASSERT_EQ(readings.measurements.size(), 2U);
  const auto& said = readings.measurements[0].shape;
  EXPECT_EQ(to_string(said.device), "sm90/132");
  EXPECT_TRUE(said.types_known);
  EXPECT_EQ(to_string(said.problem), "8x16x32:bf16:bf16:bf16");
  EXPECT_EQ(readings.measurements[1].shape.problem.batch, 2);
  EXPECT_FALSE(readings.measurements[1].shape.types_known);
  const auto chosen = read("M,N,K,a_us\n8,16,32,5\n", {.format = Format::a4w4});
  EXPECT_EQ(chosen.measurements[0].shape.problem, parse_problem("8x16x32:a4w4"));
}

}  // namespace
}  // namespace gemmtune
