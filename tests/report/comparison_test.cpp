#include "gemmtune/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "gemmtune/core/error.h"
#include "gemmtune/report/pair_summary.h"
#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;

Measurement failed(std::int64_t m, const std::string& backend) {
  auto measurement = timed(m, backend, -1);
  measurement.outcome = Outcome::unsupported;
  measurement.err_ratio = 1;
  return measurement;
}

Measurement wrong(std::int64_t m, const std::string& backend, double time_us, double err_ratio) {
  auto measurement = timed(m, backend, time_us);
  measurement.err_ratio = err_ratio;
  return measurement;
}

/// Every special case at once, few enough to be checked by hand.
///   M=1: asm 4, ck 2, triton 8        ck wins, asm/best other = 2/4 = 0.5
///   M=2: asm 5 and 10, ck 5           a tie
///   M=3: asm has no valid time: 1 us with errRatio 0.06; ck exactly at the limit of 0.05
///   M=4: all failed
///   M=5: asm alone
///   M=6: asm 2, ck 4, triton without a time
std::vector<Measurement> traps() {
  return {timed(1, "asm", 6),
          timed(1, "asm", 4),
          timed(1, "ck", 2),
          timed(1, "triton", 8),
          timed(2, "asm", 5),
          timed(2, "asm", 10),
          timed(2, "ck", 5.00001),
          wrong(3, "asm", 1, 0.06),
          wrong(3, "ck", 3, 0.05),
          failed(4, "asm"),
          timed(4, "ck", std::numeric_limits<double>::quiet_NaN()),
          timed(5, "asm", 7),
          timed(6, "asm", 2),
          timed(6, "ck", 4),
          timed(6, "triton", 0)};
}

TEST(Comparison, ByHand) {
  const auto comparison = compare(traps());
  EXPECT_EQ(comparison.primary, "asm");
  EXPECT_THAT(comparison.backends, ElementsAre("asm", "ck", "triton"));
  ASSERT_EQ(comparison.shapes.size(), 6U);
  const auto& s = comparison.shapes;
  EXPECT_THAT(s[0].winners, ElementsAre("ck"));
  EXPECT_EQ(s[0].best.at("asm").measurement.time_us, 4);
  EXPECT_DOUBLE_EQ(s[0].best.at("ck").tflops, 2.0 * 1 * 512 * 4096 / 2 / 1e6);
  EXPECT_EQ(s[0].alternative, "ck");
  EXPECT_DOUBLE_EQ(*s[0].ratio, 0.5);
  EXPECT_THAT(s[1].winners, ElementsAre("asm", "ck"));
  EXPECT_NEAR(*s[1].ratio, 1, 1e-5);
  EXPECT_THAT(s[2].winners, ElementsAre("ck"));
  EXPECT_FALSE(s[2].ratio);
  EXPECT_EQ(s[2].alternative, "ck");
  EXPECT_TRUE(s[3].winners.empty());
  EXPECT_TRUE(s[3].best.empty());
  EXPECT_FALSE(s[3].alternative);
  EXPECT_THAT(s[4].winners, ElementsAre("asm"));
  EXPECT_FALSE(s[4].ratio);
  EXPECT_DOUBLE_EQ(*s[5].ratio, 2);
}

TEST(Comparison, WhatIsLostMissedAndSkipped) {
  const auto comparison = compare(traps());
  EXPECT_EQ(comparison.measurements, 15U);
  EXPECT_THAT(shapes_lost(comparison), ElementsAre(&comparison.shapes[0])) << "a tie is not lost";
  EXPECT_THAT(shapes_missed(comparison), ElementsAre(&comparison.shapes[2], &comparison.shapes[3]));
  EXPECT_EQ(count_skipped(comparison, SkipReason::over_error_limit), 1U);
  EXPECT_EQ(count_skipped(comparison, SkipReason::no_time), 2U);
  EXPECT_EQ(count_skipped(comparison, SkipReason::failed), 1U) << "an error ratio of 1 marks a failure";
  EXPECT_EQ(comparison.skipped.front().text, "errRatio 0.06 is over 0.05");
}

TEST(Comparison, AReferenceIsNoContenderUnlessItIsAskedFor) {
  auto reference = timed(1, "cpu_reference", 9);
  EXPECT_THAT(compare({reference, timed(1, "ck", 2)}).backends, ElementsAre("ck", "cpu_reference"))
      << "a benchmark has a column for it";
  reference.unproven = true;
  const std::vector measurements{reference, timed(1, "ck", 2)};
  EXPECT_THAT(compare(measurements).backends, ElementsAre("ck"));
  EXPECT_THAT(compare(measurements, {.keeps_references = true}).backends, ElementsAre("ck", "cpu_reference"));
  EXPECT_THAT(compare(measurements, {.backends = {"ck", "cpu_reference"}}).backends,
              ElementsAre("ck", "cpu_reference"));
  EXPECT_THAT(compare({reference}).backends, ElementsAre("cpu_reference"));
}

TEST(Comparison, TheLimitOfErrorsIsTheCallers) {
  EXPECT_EQ(count_skipped(compare(traps(), {.err_ratio_limit = 0.06}), SkipReason::over_error_limit), 0U);
  EXPECT_EQ(count_skipped(compare(traps(), {.err_ratio_limit = 0}), SkipReason::over_error_limit), 2U);
  auto disproved = wrong(1, "asm", 3, 0.5);
  disproved.outcome = Outcome::wrong_result;
  EXPECT_EQ(count_skipped(compare({disproved}), SkipReason::over_error_limit), 1U);
}

TEST(Comparison, Intervals) {
  const auto a = with_interval(timed(1, "a", 10), 9.9, 10.2);
  const auto close = with_interval(timed(1, "b", 10.15), 10.1, 10.3);
  EXPECT_TRUE(is_tie(a, close));
  EXPECT_TRUE(is_tie(close, a));
  EXPECT_FALSE(is_tie(a, with_interval(timed(1, "b", 10.3), 10.1, 10.4))) << "too far apart, however wide";
  EXPECT_FALSE(is_tie(a, timed(1, "b", 10.1))) << "without an interval only equal times are";
  EXPECT_TRUE(is_tie(a, timed(1, "b", 10.00004)));
  EXPECT_THAT(compare({a, close}).shapes[0].winners, ElementsAre("a", "b"));
}

TEST(Comparison, ConfirmedTimesComeBeforeScreenedOnes) {
  auto screened = timed(1, "asm", 3);
  screened.screened_only = true;
  EXPECT_EQ(compare({screened, timed(1, "asm", 4)}).shapes[0].best.at("asm").measurement.time_us, 4);
  EXPECT_EQ(compare({screened}).shapes[0].best.at("asm").measurement.time_us, 3);
}

Measurement in_batch(const char* batch, const std::string& backend, double time_us) {
  auto measurement = timed(1, backend, time_us);
  measurement.batch = batch;
  return measurement;
}

TEST(Comparison, OnlyTimesThatWereTakenTogetherAreCompared) {
  const auto comparison = compare({in_batch("one", "a", 4), in_batch("one", "b", 5), in_batch("", "c", 3),
                                   in_batch("other", "a", 2), in_batch("other", "d", 1), in_batch("one", "e", 8)},
                                  {.primary = "a"});
  const auto& shape = comparison.shapes[0];
  EXPECT_THAT(shape.winners, ElementsAre("a")) << "of the batch with most backends";
  EXPECT_EQ(shape.best.at("a").measurement.time_us, 4) << "though another batch has it faster";
  EXPECT_EQ(shape.alternative, "b");
  EXPECT_EQ(shape.ratio, 1.25);
  EXPECT_TRUE(shape.best.at("c").apart) << "screened";
  EXPECT_TRUE(shape.best.at("d").apart);
  EXPECT_FALSE(shape.best.at("e").apart);
  EXPECT_EQ(count_apart(comparison), 2U);
  EXPECT_EQ(pair_summary(comparison, "a", "d"), std::nullopt);
  EXPECT_EQ(pair_summary(comparison, "a", "b")->shapes, 1U);
  EXPECT_TRUE(shapes_lost(comparison).empty());
  EXPECT_TRUE(
      shapes_lost(compare({in_batch("one", "a", 4), in_batch("one", "b", 5), in_batch("", "c", 3)}, {.primary = "c"}))
          .empty())
      << "what is not compared does not lose";
}

TEST(Comparison, ABatchThatIsKnownCountsForMoreThanFiles) {
  const auto comparison = compare({in_batch(batch_of_files, "a", 2), in_batch(batch_of_files, "b", 3),
                                   in_batch("store", "a", 5), in_batch("store", "b", 4)});
  EXPECT_THAT(comparison.shapes[0].winners, ElementsAre("b"));
  EXPECT_EQ(count_apart(comparison), 0U);
}

TEST(Comparison, WithoutABatchNothingWins) {
  const auto comparison = compare({in_batch("", "a", 2), in_batch("", "b", 3)});
  EXPECT_TRUE(comparison.shapes[0].winners.empty());
  EXPECT_EQ(comparison.shapes[0].ratio, std::nullopt);
  EXPECT_EQ(count_apart(comparison), 2U);
}

Measurement unproven(std::int64_t m, const std::string& backend, double time_us) {
  auto measurement = timed(m, backend, time_us);
  measurement.unproven = true;
  return measurement;
}

TEST(Comparison, OnlyProvenKernelsWin) {
  const auto comparison = compare(
      {unproven(1, "asm", 3), timed(1, "asm", 4), unproven(1, "ck", 2), unproven(2, "asm", 3), unproven(2, "ck", 2)},
      {.primary = "asm"});
  EXPECT_EQ(comparison.shapes[0].best.at("asm").measurement.time_us, 4) << "the proven one stands for its backend";
  EXPECT_THAT(comparison.shapes[0].winners, ElementsAre("asm"));
  EXPECT_TRUE(comparison.shapes[1].winners.empty());
  EXPECT_TRUE(shapes_lost(comparison).empty()) << "nothing wins on the second shape";
  EXPECT_EQ(count_unproven(comparison), 3U);
}

TEST(Comparison, OfTheSameTimeTheOneThatSaysMore) {
  const auto rich = with_interval(timed(1, "asm", 4.00004), 3.9, 4.1);
  EXPECT_TRUE(compare({timed(1, "asm", 4), rich}).shapes[0].best.at("asm").measurement.has_interval());
}

TEST(Comparison, PrimaryAndBackends) {
  EXPECT_EQ(compare({timed(1, "x", 1), timed(1, "y", 2), timed(2, "y", 2)}).primary, "x");
  EXPECT_EQ(compare({timed(1, "x", 3), timed(1, "y", 2), timed(2, "x", 2)}, {.primary = "y"}).backends.front(), "y");
  EXPECT_THAT(compare(traps(), {.backends = {"ck", "triton"}}).backends, ElementsAre("ck", "triton"));
  EXPECT_THROW(static_cast<void>(compare(traps(), {.primary = "gluon"})), Error);
  EXPECT_TRUE(compare({}).backends.empty());
}

TEST(Comparison, DevicesAndTypesAreApart) {
  auto elsewhere = timed(1, "asm", 1);
  elsewhere.shape.device.gfx = "gfx942";
  auto others = timed(1, "asm", 1);
  others.shape.problem = parse_problem("1x512x4096:a8w8");
  const auto comparison = compare({timed(1, "ck", 2), elsewhere, others});
  EXPECT_EQ(comparison.shapes.size(), 3U);
  EXPECT_FALSE(comparison.one_device);
  EXPECT_FALSE(comparison.one_type);
  for (const auto& shape : comparison.shapes) EXPECT_EQ(shape.best.size(), 1U);
}

TEST(Comparison, DoesNotDependOnTheOrderOfTheInputs) {
  auto measurements = traps();
  const auto before = compare(measurements);
  std::reverse(measurements.begin(), measurements.end());
  const auto after = compare(measurements);
  ASSERT_EQ(before.shapes.size(), after.shapes.size());
  for (std::size_t i = 0; i < before.shapes.size(); ++i) {
    EXPECT_EQ(before.shapes[i].shape, after.shapes[i].shape);
    EXPECT_EQ(before.shapes[i].winners, after.shapes[i].winners);
    EXPECT_EQ(before.shapes[i].ratio, after.shapes[i].ratio);
  }
}

}  // namespace
}  // namespace gemmtune
