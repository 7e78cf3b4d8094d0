#include "gemmtune/bench/interleaved_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/invented_contenders.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;

TEST(Together, TheFastestWinsAndEqualKernelsAreMeasuredOnce) {
  BenchWorld world({{"toy_0", 30}, {"toy_1", 10}});
  const auto shape = world.measure({contender("a", "toy_0"), contender("b", "toy_1"), contender("c", "toy_1")});
  ASSERT_TRUE(shape);
  ASSERT_EQ(shape->contenders.size(), 3U);
  EXPECT_EQ(shape->find("a")->time_us(), 30);
  EXPECT_EQ(shape->find("c")->time_us(), 10);
  EXPECT_THAT(shape->winners, ElementsAre(1, 2));
  EXPECT_TRUE(shape->is_winner(*shape->find("b")));
  EXPECT_FALSE(shape->is_winner(*shape->find("a")));
  EXPECT_EQ(shape->find("d"), nullptr);
  EXPECT_THAT(world.fake.batch_sizes, ElementsAre(2, 2)) << "screened together, then confirmed together";
}

TEST(Together, WhatIsWrongHasNoTime) {
  BenchWorld world({{"toy_0", 30}, {"toy_1", 10}});
  world.wrong_at["toy_1"] = Stage::confirm;  // found wrong after it was timed
  const auto shape = world.measure({contender("a", "toy_0"), contender("b", "toy_1")});
  const auto* wrong = shape->find("b");
  EXPECT_FALSE(wrong->has_time());
  EXPECT_EQ(wrong->evaluation.outcome, Outcome::wrong_result);
  EXPECT_EQ(wrong->evaluation.timing, Timing{});
  EXPECT_THAT(shape->winners, ElementsAre(0));
}

TEST(Together, WhoHasNoKernelIsUnsupported) {
  BenchWorld world({{"toy_0", 30}});
  const auto shape = world.measure({{.label = "a", .why_none = "no row"}, contender("b", "toy_0")});
  EXPECT_EQ(shape->find("a")->evaluation.outcome, Outcome::unsupported);
  EXPECT_EQ(shape->find("a")->evaluation.reason, "no row");
  EXPECT_TRUE(shape->find("b")->has_time());
  EXPECT_TRUE(world.measure({{.label = "a", .why_none = "no row"}})->winners.empty());
}

TEST(Together, WhoIsFarBehindIsNotConfirmed) {
  BenchWorld world({{"toy_0", 10}, {"toy_1", 99}, {"toy_2", 101}});
  const auto shape = world.measure({contender("a", "toy_0"), contender("b", "toy_1"), contender("c", "toy_2")});
  EXPECT_FALSE(shape->find("b")->screened_only);
  EXPECT_TRUE(shape->find("c")->screened_only);
  EXPECT_EQ(shape->find("c")->time_us(), 101);
  EXPECT_THAT(world.fake.batch_sizes, ElementsAre(3, 1, 2)) << "it is screened once more";
}

TEST(Together, BadLuckInOneScreeningIsForgiven) {
  BenchWorld world({{"toy_0", 10}, {"toy_1", 5000}});
  world.fake.answer = [&](const Problem&, const Candidate& candidate, Stage stage) {
    const auto evaluation = world.answer(candidate, stage);
    if (candidate.name == "toy_1") world.times_us["toy_1"] = 12;
    return evaluation;
  };
  const auto shape = world.measure({contender("a", "toy_0"), contender("b", "toy_1")});
  EXPECT_FALSE(shape->find("b")->screened_only);
  EXPECT_EQ(shape->find("b")->time_us(), 12);
}

TEST(Together, WhatIsWrongInTheSecondScreeningIsWrong) {
  BenchWorld world({{"toy_0", 10}, {"toy_1", 5000}});
  int screened = 0;
  world.fake.answer = [&](const Problem&, const Candidate& candidate, Stage stage) {
    if (candidate.name == "toy_1" && ++screened == 2) world.wrong_at["toy_1"] = Stage::screen;
    return world.answer(candidate, stage);
  };
  EXPECT_FALSE(world.measure({contender("a", "toy_0"), contender("b", "toy_1")})->find("b")->has_time());
}

TEST(Together, OneFastSampleOfAScreeningIsEnough) {
  BenchWorld world({{"toy_0", 10}, {"toy_1", 5000}});
  world.least_us["toy_1"] = 20;
  EXPECT_FALSE(world.measure({contender("a", "toy_0"), contender("b", "toy_1")})->find("b")->screened_only);
}

TEST(Together, ProofsCountWhereTheyAreAskedFor) {
  BenchWorld world({{"toy_0", 30}, {"toy_1", 10}});
  world.wrong_at["toy_1"] = Stage::prove;
  const std::vector contenders{contender("a", "toy_0"), contender("b", "toy_1")};
  EXPECT_THAT(world.measure(contenders)->winners, ElementsAre(1));
  world.plan.prove = true;
  const auto shape = world.measure(contenders);
  EXPECT_THAT(shape->winners, ElementsAre(0));
  EXPECT_EQ(shape->find("a")->time_us(), 30) << "a proof times nothing";
  EXPECT_EQ(shape->find("b")->evaluation.stage, Stage::prove);
}

TEST(Together, NothingComesOfWhatWasInterrupted) {
  BenchWorld world({{"toy_0", 30}, {"toy_1", 10}});
  world.interrupts_at = "toy_0";
  EXPECT_FALSE(world.measure({contender("a", "toy_0"), contender("b", "toy_1")}));
  EXPECT_FALSE(search_best(world.evaluator, invented_problem(), world.fake.candidates, world.plan.tune));
}

TEST(Together, ASearchFindsTheFastestThatIsRight) {
  BenchWorld world({{"toy_0", 40}, {"toy_1", 10}, {"toy_2", 20}, {"toy_3", 30}});
  world.wrong_at["toy_1"] = Stage::prove;
  for (const auto& search : strategy_names()) {
    world.plan.tune.search = search;
    const auto found = search_best(world.evaluator, invented_problem(), world.fake.candidates, world.plan.tune);
    ASSERT_TRUE(found && found->winner) << search;
    EXPECT_EQ(found->winner->candidate.name, "toy_2") << search;
    EXPECT_EQ(found->default_choice->candidate.name, "toy_0") << search;
  }
}

}  // namespace
}  // namespace gemmtune
