#include "gemmtune/table/tuned_row.h"

#include <gtest/gtest.h>

#include <limits>

namespace gemmtune {
namespace {

TEST(TunedRow, TakesWhatAnEvaluationFound) {
  const auto problem = parse_problem("64x128x256:a16w16");
  const Evaluation evaluation{
      .candidate = {.family = "onednn", .name = "onednn_default_t2", .split_k = 3, .library_id = 7},
      .timing = {.median_us = 12.5},
      .accuracy = {.err_ratio = 0.25},
  };
  const auto row = tuned_row(problem, evaluation, "x86-64-avx2", 2);
  EXPECT_EQ(row.gfx, "x86-64-avx2");
  EXPECT_EQ(row.cu_num, 2);
  EXPECT_EQ(row.problem, problem);
  EXPECT_EQ(row.libtype, "onednn");
  EXPECT_EQ(row.kernel_name, "onednn_default_t2");
  EXPECT_EQ(row.kernel_id, 7);
  EXPECT_EQ(row.split_k, 3);
  EXPECT_EQ(row.time_us, 12.5);
  EXPECT_EQ(row.err_ratio, 0.25);
}

TEST(TunedRow, SplitKIsACountInBf16TablesAndALogarithmElsewhere) {
  const auto bf16 = parse_problem("64x128x256:a16w16");
  const auto mxfp4 = parse_problem("64x128x256:a4w4");
  EXPECT_EQ(split_k_column(bf16, 1), 0);
  EXPECT_EQ(split_k_column(bf16, 13), 13);
  EXPECT_EQ(split_k_column(mxfp4, 1), 0);
  EXPECT_EQ(split_k_column(mxfp4, 2), 1);
  EXPECT_EQ(split_k_column(mxfp4, 8), 3);
  EXPECT_EQ(split_k_column(mxfp4, 12), 3);
}

TEST(TunedRow, PlaceholdersAndFailuresHaveNoTime) {
  for (const double time :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(has_time({.time_us = time})) << time;
  EXPECT_TRUE(has_time({.time_us = 0.001}));
}

/// Rows of one build are no less valid in another.
TEST(LibraryText, LeavesOutTheBuild) {
  EXPECT_EQ(library_text("onednn", "3.7.1"), "onednn 3.7.1");
  EXPECT_EQ(library_text("cpu_tile", "2, build 3fa81c02"), "cpu_tile 2");
}

}  // namespace
}  // namespace gemmtune
