#include "gemmtune/tune/second_look.h"

#include <gtest/gtest.h>

#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

const Candidate winner{.family = "toy", .name = "winner"};
const Candidate default_choice{.family = "toy", .name = "default"};

ShapeResult result_with(double default_us, double low_us, double high_us) {
  ShapeResult result{.winner = answered(winner, Stage::confirm, 10)};
  result.default_choice = answered(default_choice, Stage::confirm, default_us);
  result.default_choice->timing.low_us = low_us;
  result.default_choice->timing.high_us = high_us;
  return result;
}

TEST(SecondLook, IsForImplausibleGainsAndWideIntervals) {
  EXPECT_TRUE(is_doubtful_gain(result_with(101, 100, 102))) << "over 10x";
  EXPECT_FALSE(is_doubtful_gain(result_with(99, 98, 100)));
  EXPECT_TRUE(is_doubtful_gain(result_with(15, 11, 15))) << "the interval spans more than a quarter";
  EXPECT_FALSE(is_doubtful_gain(result_with(15, 13, 16)));
  EXPECT_FALSE(is_doubtful_gain(result_with(9, 5, 15))) << "no gain";
}

TEST(SecondLook, IsForGainsAgainstAnotherCandidate) {
  auto result = result_with(500, 499, 501);
  EXPECT_FALSE(is_doubtful_gain({.winner = result.winner}));
  result.default_choice->candidate = winner;
  EXPECT_FALSE(is_doubtful_gain(result));
}

TEST(SecondLook, TakesSeveralTurnsAndIsATrialOfItsOwn) {
  const TunePlan plan;
  const auto policy = second_look_policy(plan);
  EXPECT_EQ(policy.stage, Stage::confirm);
  EXPECT_GE(policy.measure.max_samples, 5 * policy.measure.min_samples);
  for (const std::int64_t samples : {8, 16, 24, 32, 40, 64})
    EXPECT_NE(policy, with_samples(plan.confirm, samples)) << "else a round of a race would be taken for it";
}

// The device is half as fast as when the winner was confirmed.
TEST(SecondLook, ComparesTimesOfTheSameLook) {
  const auto result =
      with_second_look(result_with(1000, 999, 1001),
                       std::vector{answered(default_choice, Stage::confirm, 60), answered(winner, Stage::confirm, 20)});
  EXPECT_DOUBLE_EQ(result.winner->timing.median_us, 10);
  EXPECT_DOUBLE_EQ(result.default_choice->timing.median_us, 30);
  EXPECT_DOUBLE_EQ(result.default_choice->timing.high_us, 30 * 1.001);
}

TEST(SecondLook, CountsTheSmallerGain) {
  const auto result = with_second_look(
      result_with(15, 11, 15),
      std::vector{answered(default_choice, Stage::confirm, 400), answered(winner, Stage::confirm, 10)});
  EXPECT_EQ(result.default_choice->timing.median_us, 15) << "now it stalled";
}

TEST(SecondLook, WithoutItALargeGainIsNotStated) {
  EXPECT_FALSE(without_second_look(result_with(101, 100, 102)).default_choice);
  EXPECT_TRUE(without_second_look(result_with(15, 11, 15)).default_choice);
  const auto crashed = refused(default_choice, Stage::confirm, Outcome::crashed);
  EXPECT_FALSE(with_second_look(result_with(101, 100, 102), std::vector{crashed, answered(winner, Stage::confirm, 10)})
                   .default_choice);
}

}  // namespace
}  // namespace gemmtune
