#include "gemmtune/bench/family_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/invented_contenders.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;

/// Each contender as "label=kernel".
std::vector<std::string> chosen(const std::optional<std::vector<Contender>>& contenders) {
  std::vector<std::string> texts;
  for (const auto& c : contenders.value()) texts.push_back(c.label + '=' + c.candidate.name);
  return texts;
}

class FamilyChoices : public testing::Test {
 protected:
  std::optional<std::vector<Contender>> contenders(const TunedKernels& known = {}) {
    return family_contenders(world_.evaluator, invented_problem(), world_.plan, known);
  }

  BenchWorld world_{{{"toy_0", 30}, {"other_0", 5}, {"toy_1", 10}, {"toy_2", 20}}};
};

TEST_F(FamilyChoices, TheDefaultIsTheFirstAndTheTunedIsSearchedFor) {
  const auto all = contenders();
  EXPECT_THAT(chosen(all), ElementsAre("toy_default=toy_0", "toy=toy_1", "other_default=other_0", "other=other_0"));
  EXPECT_TRUE(all->front().is_default);
  EXPECT_EQ((*all)[1].origin, "search of 3");
  EXPECT_FALSE((*all)[1].is_default);
}

TEST_F(FamilyChoices, OnlySoManyAreSearched) {
  world_.times_us["toy_2"] = 1;
  world_.plan.most_candidates = 2;
  EXPECT_THAT(chosen(contenders()),
              ElementsAre("toy_default=toy_0", "toy=toy_1", "other_default=other_0", "other=other_0"));
  world_.plan.most_candidates = 0;
  EXPECT_THAT(chosen(contenders()), ElementsAre("toy_default=toy_0", "other_default=other_0"));
}

TEST_F(FamilyChoices, WhatIsKnownIsNotSearchedFor) {
  world_.plan.most_candidates = 0;
  const TunedKernels known{{{invented_problem(), "toy"}, {"toy_of_old", "tuned.csv:7"}}};
  const auto all = contenders(known);
  EXPECT_THAT(chosen(all), ElementsAre("toy_default=toy_0", "toy=toy_of_old", "other_default=other_0", "other="));
  EXPECT_EQ((*all)[1].origin, "tuned.csv:7");
  EXPECT_EQ((*all)[1].candidate.family, "toy") << "it may run, although it is not listed any more";
  EXPECT_FALSE((*all)[3].why_none.empty());
  EXPECT_TRUE(world_.fake.log.empty());
}

TEST_F(FamilyChoices, NamedFamiliesComeInTheirOrderAndSayWhyNot) {
  world_.plan.tune.families = {"other", "toy", "none"};
  world_.plan.most_candidates = 0;
  const auto all = contenders();
  EXPECT_THAT(chosen(all), ElementsAre("other_default=other_0", "toy_default=toy_0", "none_default="));
  EXPECT_EQ(all->back().why_none, "the worker does not have this family");
}

TEST_F(FamilyChoices, AFamilyOfWhichNoneIsRightSaysSo) {
  for (const auto* name : {"toy_0", "toy_1", "toy_2"}) world_.wrong_at[name] = Stage::screen;
  const auto all = contenders();
  EXPECT_EQ((*all)[1].candidate.name, "");
  EXPECT_THAT((*all)[1].why_none, testing::HasSubstr("none of 3 candidates is right"));
}

TEST_F(FamilyChoices, NothingComesOfWhatWasInterrupted) {
  world_.interrupts_at = "toy_0";
  EXPECT_FALSE(contenders());
  world_.plan.together = true;
  EXPECT_FALSE(contenders());
}

TEST_F(FamilyChoices, AllFamiliesAreSearchedTogether) {
  world_.plan.together = true;
  world_.fake.candidates.push_back({.family = "other", .name = "other_1"});
  world_.times_us["other_1"] = 3;
  const auto all = contenders();
  EXPECT_THAT(chosen(all), ElementsAre("toy_default=toy_0", "toy=toy_1", "other_default=other_0", "other=other_1"));
  EXPECT_EQ((*all)[1].origin, "search of 3");
  EXPECT_THAT(world_.fake.batch_sizes, ElementsAre(5, 2, 2)) << "screened, timed in turns, proven";
}

TEST_F(FamilyChoices, TogetherTheNextBestIsProvenWhenTheBestFails) {
  world_.plan.together = true;
  world_.times_us["toy_2"] = 10.5;
  world_.wrong_at["toy_1"] = Stage::prove;
  EXPECT_EQ((*contenders())[1].candidate.name, "toy_2");
  for (const auto* name : {"toy_0", "toy_1", "toy_2"}) world_.wrong_at[name] = Stage::screen;
  const auto all = contenders();
  EXPECT_EQ((*all)[1].candidate.name, "");
  EXPECT_THAT((*all)[1].why_none, testing::HasSubstr("none of 3 candidates is right, the first is wrong_result"));
}

Measurement of_toy(const std::string& kernel, double time_us, const DeviceTag& device = {"x86-64-avx2", 8}) {
  return {.shape = {.device = device, .problem = invented_problem()},
          .backend = "toy",
          .kernel = kernel,
          .time_us = time_us,
          .where = "t.csv:" + kernel};
}

TEST(TunedKernelsOfFiles, TheBestThatIsRightOfThisDevice) {
  auto wrong = of_toy("wrong", 1);
  wrong.err_ratio = 0.5;
  auto screened = of_toy("screened", 2);
  screened.screened_only = true;
  const auto device = invented_context().device;
  const auto kernels = tuned_kernels(
      {.measurements = {of_toy("slow", 9), of_toy("fast", 3), wrong, screened, of_toy("elsewhere", 1, {"gfx950", 256}),
                        of_toy("more_cores", 1, {"x86-64-avx2", 16})}},
      device);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels.at({invented_problem(), "toy"}).name, "fast");
  EXPECT_EQ(kernels.at({invented_problem(), "toy"}).origin, "t.csv:fast");
  EXPECT_TRUE(tuned_kernels({.measurements = {of_toy("elsewhere", 1, {"gfx950", 256})}}, device).empty());
  EXPECT_EQ(tuned_kernels({.measurements = {of_toy("unsaid", 1, {"", 8})}}, device).size(), 1U);
}

}  // namespace
}  // namespace gemmtune
