#include "gemmtune/dispatch/coverage.h"

#include <gtest/gtest.h>

#include "tests/dispatch/rows.h"

namespace gemmtune {
namespace {

const std::vector<TunedRow> rows{row_of(a4w4(1, 512, 1024), 6), row_of(a4w4(64, 512, 1024), 10),
                                 row_of(a4w4(128, 512, 1024), 14)};

Coverage cover(const std::vector<WeighedProblem>& problems, double default_slowdown = 1.3) {
  TimeModel model(mi355);
  for (const auto& row : rows) model.add(row, mi355);
  return coverage_of(index_of(rows), model,
                     {.problems = problems, .device = mi355, .default_slowdown = default_slowdown});
}

TEST(Coverage, CountsEachWayOfMatching) {
  const auto coverage = cover({{a4w4(64, 512, 1024), 100},
                               {a4w4(60, 512, 1024), 10},
                               {a4w4(100, 512, 1024), 5},
                               {a4w4(200, 512, 1024), 3},
                               {a4w4(64, 768, 1024), 2}});
  EXPECT_EQ(coverage.of(MatchKind::exact), (KindCoverage{1, 100, 1000, 0}));
  EXPECT_EQ(coverage.of(MatchKind::padded_fine).calls, 10);
  EXPECT_EQ(coverage.of(MatchKind::padded_coarse).calls, 5);
  EXPECT_EQ(coverage.of(MatchKind::nearest).calls, 3);
  EXPECT_EQ(coverage.of(MatchKind::fallback).calls, 2);
  EXPECT_EQ(coverage.total().calls, 120);
  EXPECT_EQ(coverage.total().problems, 5);
}

TEST(Coverage, APaddedCallGainsWhatItPadsFor) {
  const auto coverage = cover({{a4w4(96, 512, 1024), 7}});
  EXPECT_EQ(coverage.problems[0].match, MatchKind::padded_coarse);
  EXPECT_EQ(coverage.problems[0].tuned_m, 128);
  EXPECT_DOUBLE_EQ(coverage.problems[0].now_us, 14);
  EXPECT_DOUBLE_EQ(coverage.problems[0].gain_us, 2);
  EXPECT_DOUBLE_EQ(coverage.of(MatchKind::padded_coarse).gain_us, 14);
}

TEST(Coverage, AFallbackIsAssumedToBeSlower) {
  const auto once = cover({{a4w4(64, 768, 1024), 1}}, 1.5).problems[0];
  EXPECT_EQ(once.match, MatchKind::fallback);
  EXPECT_NEAR(once.now_us, 3 * once.gain_us, 1e-9);
  EXPECT_DOUBLE_EQ(cover({{a4w4(64, 768, 1024), 1}}, 1).problems[0].gain_us, 0);
}

TEST(Coverage, TheLargestGainOverAllCallsComesFirst) {
  const auto coverage = cover({{a4w4(64, 512, 1024), 1e9}, {a4w4(96, 512, 1024), 1}, {a4w4(97, 512, 1024), 1000}});
  EXPECT_EQ(coverage.problems[0].asked.problem.m, 97);
  EXPECT_EQ(coverage.problems[1].asked.problem.m, 96);
}

TEST(Coverage, WhatNothingTellsIsCounted) {
  auto bf16 = format_defaults(Format::a16w16);
  bf16.m = bf16.n = bf16.k = 64;
  const auto coverage = cover({{bf16, 1}});
  EXPECT_EQ(coverage.unknown, 1);
  EXPECT_EQ(coverage.of(MatchKind::fallback), (KindCoverage{1, 1, 0, 0}));
}

}  // namespace
}  // namespace gemmtune
