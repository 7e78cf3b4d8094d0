#include "gemmtune/bench/duel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/invented_contenders.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

MeasuredContender timed_at(double median_us, double low_us, double high_us) {
  MeasuredContender measured;
  measured.evaluation.timing = {.median_us = median_us, .low_us = low_us, .high_us = high_us, .sample_count = 11};
  return measured;
}

MeasuredContender failed() {
  MeasuredContender measured;
  measured.evaluation.outcome = Outcome::crashed;
  return measured;
}

TEST(Judge, IntervalsMustBeApartAndTheImprovementLargeEnough) {
  const DuelRules rules{.min_improvement_pct = 3};
  const auto a = timed_at(100, 99, 101);
  EXPECT_EQ(judge(a, timed_at(90, 89, 91), rules), DuelVerdict::improved);
  EXPECT_EQ(judge(a, timed_at(97, 96, 98), rules), DuelVerdict::improved) << "3 % are enough";
  EXPECT_EQ(judge(a, timed_at(97.1, 96, 98), rules), DuelVerdict::too_little);
  EXPECT_EQ(judge(a, timed_at(90, 80, 99), rules), DuelVerdict::undecided) << "the intervals touch";
  EXPECT_EQ(judge(a, timed_at(100.5, 99.5, 102), rules), DuelVerdict::undecided);
  EXPECT_EQ(judge(a, timed_at(103, 102, 104), rules), DuelVerdict::worse);
  EXPECT_EQ(judge(a, timed_at(98, 97.9, 98.1), {.min_improvement_pct = 0}), DuelVerdict::improved);
}

TEST(Judge, WhoIsRightCountsBeforeWhoIsFast) {
  EXPECT_EQ(judge(failed(), timed_at(10, 9, 11), {}), DuelVerdict::a_has_none);
  EXPECT_EQ(judge(timed_at(10, 9, 11), failed(), {}), DuelVerdict::b_has_none);
  EXPECT_EQ(judge(failed(), failed(), {}), DuelVerdict::neither);
}

TEST(Judge, SwappingTheTwoSwapsTheVerdict) {
  const DuelRules any{.min_improvement_pct = 0};
  for (double shift = -4; shift <= 4; shift += 0.25) {
    const auto a = timed_at(100, 99, 101);
    const auto b = timed_at(100 + shift, 99 + shift, 101 + shift);
    EXPECT_EQ(judge(a, b, any) == DuelVerdict::improved, judge(b, a, any) == DuelVerdict::worse) << shift;
    EXPECT_EQ(judge(a, b, any) == DuelVerdict::undecided, judge(b, a, any) == DuelVerdict::undecided) << shift;
  }
}

TEST(Judge, TheImprovementIsAShareOfA) {
  EXPECT_NEAR(*improvement_pct(timed_at(100, 99, 101), timed_at(80, 79, 81)), 20, 1e-9);
  EXPECT_NEAR(*improvement_pct(timed_at(80, 79, 81), timed_at(100, 99, 101)), -25, 1e-9);
  EXPECT_FALSE(improvement_pct(failed(), timed_at(80, 79, 81)));
}

class DuelTest : public testing::Test {
 protected:
  std::optional<Duel> fight(const std::string& a = "toy_0", const std::string& b = "toy_1") {
    return duel(world_.evaluator, {invented_problem(), contender("a", a), contender("b", b)}, world_.plan, {});
  }

  std::vector<std::string> asked(Stage stage) const {
    std::vector<std::string> names;
    for (const auto& [problem, name, asked_stage] : world_.fake.log)
      if (asked_stage == stage) names.push_back(name);
    return names;
  }

  BenchWorld world_{{{"toy_0", 100}, {"toy_1", 50}}};
};

TEST_F(DuelTest, WhatIsBetterIsMeasuredAgainInTheOtherOrderAndProved) {
  const auto result = fight();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->verdict, DuelVerdict::improved);
  EXPECT_TRUE(replaces(result->verdict));
  EXPECT_THAT(asked(Stage::confirm), ElementsAre("toy_0", "toy_1", "toy_1", "toy_0"));
  EXPECT_THAT(asked(Stage::prove), ElementsAre("toy_1", "toy_0"));
  EXPECT_EQ(result->bench.contenders[0].contender.label, "a");
  EXPECT_EQ(result->bench.contenders[1].time_us(), 50);
  EXPECT_THAT(result->bench.winners, ElementsAre(1));
}

TEST_F(DuelTest, WhatIsNotBetterAgainIsNotImproved) {
  int confirmed = 0;
  world_.fake.answer = [&](const Problem&, const Candidate& candidate, Stage stage) {
    if (candidate.name == "toy_1" && stage == Stage::confirm && ++confirmed == 2) world_.times_us["toy_1"] = 100;
    return world_.answer(candidate, stage);
  };
  const auto result = fight();
  EXPECT_EQ(result->verdict, DuelVerdict::not_repeated);
  EXPECT_FALSE(replaces(result->verdict));
}

TEST_F(DuelTest, WhatDoesNotWithstandTheProofDoesNotReplace) {
  world_.wrong_at["toy_1"] = Stage::prove;
  EXPECT_EQ(fight()->verdict, DuelVerdict::not_repeated);
}

TEST_F(DuelTest, AKernelThatIsWrongIsReplaced) {
  world_.wrong_at["toy_0"] = Stage::confirm;
  world_.times_us["toy_1"] = 200;
  EXPECT_EQ(fight()->verdict, DuelVerdict::a_has_none);
}

TEST_F(DuelTest, WhatIsSlowerIsMeasuredOnce) {
  EXPECT_EQ(fight("toy_1", "toy_0")->verdict, DuelVerdict::worse);
  EXPECT_EQ(asked(Stage::confirm).size(), 2U);
  EXPECT_THAT(asked(Stage::prove), IsEmpty());
}

TEST_F(DuelTest, WhatIsNotClearIsMeasuredAgain) {
  world_.fake.answer = [&](const Problem&, const Candidate& candidate, Stage stage) {
    auto answer = world_.answer(candidate, stage);
    answer.timing.low_us = 0.5 * answer.timing.median_us;
    answer.timing.high_us = 2 * answer.timing.median_us;
    return answer;
  };
  const auto result = fight();
  EXPECT_EQ(result->verdict, DuelVerdict::undecided);
  EXPECT_EQ(asked(Stage::confirm).size(), 2U * 4U);
}

TEST_F(DuelTest, WhatIsCertainlyNearlyEqualIsMeasuredOnce) {
  world_.times_us["toy_1"] = 100.1;
  world_.fake.answer = [&](const Problem&, const Candidate& candidate, Stage stage) {
    auto answer = world_.answer(candidate, stage);
    answer.timing.low_us = answer.timing.median_us - 0.5;
    answer.timing.high_us = answer.timing.median_us + 0.5;
    return answer;
  };
  EXPECT_EQ(fight()->verdict, DuelVerdict::undecided);
  EXPECT_EQ(asked(Stage::confirm).size(), 2U);
}

TEST(Judge, TheRangeOfTheImprovementIsThatOfBothIntervals) {
  const auto range = improvement_range_pct(timed_at(100, 99, 101), timed_at(90, 80, 105));
  EXPECT_NEAR(range->low, -6, 1e-9);
  EXPECT_NEAR(range->high, 21, 1e-9);
  EXPECT_FALSE(improvement_range_pct(failed(), timed_at(80, 79, 81)));
}

TEST_F(DuelTest, EqualKernelsAreNotMeasured) {
  const auto result = fight("toy_1", "toy_1");
  EXPECT_EQ(result->verdict, DuelVerdict::same_kernel);
  EXPECT_FALSE(result->bench.contenders[0].has_time());
  EXPECT_TRUE(world_.fake.log.empty());
}

TEST_F(DuelTest, NothingComesOfWhatWasInterrupted) {
  world_.interrupts_at = "toy_0";
  EXPECT_FALSE(fight());
}

}  // namespace
}  // namespace gemmtune
