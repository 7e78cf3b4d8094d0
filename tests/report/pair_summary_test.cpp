#include "gemmtune/report/pair_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

/// asm over ck: 0.5, 1 and 4, on shapes 1, 2 and 3; shape 4 has no ck.
std::vector<Measurement> four_shapes() {
  return {timed(1, "asm", 4), timed(1, "ck", 2), timed(2, "asm", 5), timed(2, "ck", 5),
          timed(3, "asm", 1), timed(3, "ck", 4), timed(4, "asm", 1), timed(1, "triton", 1)};
}

TEST(PairSummary, ByHand) {
  const auto comparison = compare(four_shapes());
  const auto pair = pair_summary(comparison, "asm", "ck");
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->shapes, 3U);
  EXPECT_EQ(pair->faster, 1U);
  EXPECT_EQ(pair->slower, 1U);
  EXPECT_EQ(pair->tied, 1U);
  EXPECT_DOUBLE_EQ(pair->min, 0.5);
  EXPECT_DOUBLE_EQ(pair->max, 4);
  EXPECT_DOUBLE_EQ(pair->mean, 5.5 / 3);
  EXPECT_DOUBLE_EQ(pair->geometric_mean, std::cbrt(2.0));
  EXPECT_EQ(pair->min_at->shape.problem.m, 1);
  EXPECT_EQ(pair->max_at->shape.problem.m, 3);
}

TEST(PairSummary, TheOtherWayRoundIsTheReciprocal) {
  const auto comparison = compare(four_shapes());
  const auto there = pair_summary(comparison, "asm", "ck");
  const auto back = pair_summary(comparison, "ck", "asm");
  EXPECT_DOUBLE_EQ(there->geometric_mean * back->geometric_mean, 1);
  EXPECT_DOUBLE_EQ(there->min * back->max, 1);
  EXPECT_EQ(there->faster, back->slower);
}

TEST(PairSummary, LosersMayTieToo) {
  const auto comparison = compare({timed(1, "a", 1), timed(1, "b", 2), timed(1, "c", 2)});
  EXPECT_EQ(pair_summary(comparison, "b", "c")->tied, 1U);
}

TEST(PairSummary, EveryPairThatMeets) {
  const auto comparison = compare(four_shapes());
  const auto pairs = pair_summaries(comparison);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].first + pairs[0].second, "asmck");
  EXPECT_EQ(pairs[2].first + pairs[2].second, "cktriton");
  EXPECT_FALSE(pair_summary(comparison, "asm", "gluon"));
  EXPECT_TRUE(pair_summaries(compare({timed(1, "a", 1), timed(2, "b", 1)})).empty());
}

}  // namespace
}  // namespace gemmtune
