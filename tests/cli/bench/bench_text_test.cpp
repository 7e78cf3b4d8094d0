#include "gemmtune/cli/bench/bench_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gemmtune/cli/text_grid.h"
#include "gemmtune/core/text.h"

namespace gemmtune {
namespace {

MeasuredContender timed(const std::string& label, const std::string& kernel, double time_us) {
  MeasuredContender measured{
      .contender = {.label = label, .candidate = {.family = label, .name = kernel}, .origin = "search of 16"}};
  measured.evaluation.candidate = measured.contender.candidate;
  measured.evaluation.timing = {.median_us = time_us, .low_us = time_us, .high_us = time_us, .dispersion = 0.02};
  return measured;
}

/// With the widest shapes and names that there are.
Benchmark of_many_families() {
  Benchmark benchmark{.device = {.name = "Invented", .arch = "sm90"}, .policy = "confirm"};
  for (const auto* text : {"64x57344x8192:e2m1/1x32:e2m1/1x32:bf16:packed", "16x768x1024:bf16:bf16:bf16"})
    benchmark.shapes.push_back(
        {.problem = parse_problem(text),
         .contenders = {timed("cublaslt", "cublaslt_a66_t128x64_s64xauto_k1_r0_z0_o3_i0_c1x2_f0_w32_v130100", 123.4),
                        timed("mxfp4_cublaslt",
                              "cublaslt_default_a66_t448x64_s64xauto_k1_r0_z0_o4_i0_c2x1_f0_w32_v130100", 234.5),
                        timed("toy", "toy_0", 3456.7)},
         .winners = {0}});
  return benchmark;
}

Benchmark of_tables() {
  auto benchmark = of_many_families();
  for (auto& shape : benchmark.shapes) {
    shape.contenders.resize(1);
    shape.contenders.front().contender.served = ServedBy{.expected_us = 120};
    shape.contenders.front().contender.origin = "padded_fine from M 64, tables/of/production/a4w4_tuned_gemm.csv:1234";
  }
  return benchmark;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const auto line : split(text, '\n')) width = std::max(width, shown_width(line));
  return width;
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(BenchText, WithoutAWidthEverythingIsInOneLine) {
  const auto text = bench_text(of_many_families(), {});
  EXPECT_GT(widest(text), 180U);
  EXPECT_FALSE(says(text, "to fit the terminal"));
}

TEST(BenchText, IsAsWideAsTheTerminal) {
  for (const auto& benchmark : {of_many_families(), of_tables()})
    for (const std::size_t width : {72U, 80U, 100U, 132U, 160U}) {
      for (const bool colour : {false, true}) {
        const auto text = bench_text(benchmark, {.colour = colour}, width);
        EXPECT_LE(widest(text), width) << text;
      }
    }
}

TEST(BenchText, WhatFitsIsAsWithoutAWidth) {
  const auto whole = bench_text(of_many_families(), {});
  EXPECT_EQ(bench_text(of_many_families(), {}, widest(whole)), whole);
}

TEST(BenchText, TimesAndNamesStayAndALineSaysWhatIsMissing) {
  const auto text = bench_text(of_many_families(), {}, 80);
  for (const auto* words :
       {"\n64x57344x8192:e2m1/1x32:e2m1/1x32:bf16:packed\n", "\n16x768x1024:bf16:bf16:bf16\n", "234.5", "3456.7",
        "mxfp4_cublaslt", "cublaslt_a6", "toy_0", "without roofline, GB/s, chosen by", "--csv, --json and files"})
    EXPECT_TRUE(says(text, words)) << words << " is not in\n" << text;
  EXPECT_FALSE(says(text, "chosen by\n"));
}

TEST(BenchText, NothingIsLeftOutWhereBlocksAreEnough) {
  auto benchmark = of_many_families();
  for (auto& shape : benchmark.shapes)
    shape.contenders = {timed("toy", "toy_0", 1), timed("other", "other_with_a_name_of_30_chars_", 2)};
  const auto text = bench_text(benchmark, {}, 120);
  EXPECT_LE(widest(text), 120U) << text;
  EXPECT_TRUE(says(text, "chosen by")) << text;
  EXPECT_FALSE(says(text, "to fit the terminal")) << text;
}

TEST(BenchText, ATableKeepsWhatItIsHeldAgainst) {
  const auto text = bench_text(of_tables(), {}, 80);
  EXPECT_TRUE(says(text, "measured/table")) << text;
  EXPECT_TRUE(says(text, "chosen by")) << text;
  EXPECT_TRUE(says(text, "1.03")) << text;
}

TEST(BenchText, VerdictsStandBesideTheShape) {
  auto benchmark = of_many_families();
  benchmark.shapes.front().verdict = "improved";
  const auto text = bench_text(benchmark, {}, 80);
  EXPECT_TRUE(says(text, "bf16:packed: improved\n")) << text;
}

}  // namespace
}  // namespace gemmtune
