#include "gemmtune/report/tuning_facts.h"

#include <gtest/gtest.h>

#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

Trial trial(std::int64_t id, Stage stage, const std::string& time_utc = "2026-11-28T08:00:00Z") {
  return {.id = id,
          .time_utc = time_utc,
          .problem = invented_problem(),
          .evaluation = invented_evaluation(static_cast<int>(id), stage),
          .context = invented_context(stage)};
}

TEST(TuningFacts, CostsOfBackends) {
  const auto costs = backend_costs(std::vector{trial(1, Stage::screen), trial(2, Stage::confirm)});
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].backend, "toy");
  EXPECT_EQ(costs[0].trials, 2U);
  EXPECT_DOUBLE_EQ(costs[0].cost.total(), 2 * invented_evaluation().cost.total());
}

TEST(TuningFacts, NoiseIsThatOfConfirmedTimes) {
  auto failed = trial(3, Stage::confirm);
  failed.evaluation.outcome = Outcome::crashed;
  const std::vector trials{trial(1, Stage::screen), trial(2, Stage::confirm), failed, trial(4, Stage::confirm)};
  const auto points = noise_points(trials, 10);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].dispersion, 0.01);
  EXPECT_TRUE(points[0].throttled);
  EXPECT_EQ(points[0].clock_mhz, 2450);
  EXPECT_EQ(noise_points(trials, 1).size(), 1U);
}

TEST(TuningFacts, ProvenanceIsGathered) {
  const auto list = provenances(
      std::vector{trial(1, Stage::confirm, "2026-11-28T09:00:00Z"), trial(2, Stage::confirm), trial(3, Stage::screen)});
  ASSERT_EQ(list.size(), 1U) << "one for each device";
  EXPECT_EQ(list[0].trials, 3U);
  EXPECT_EQ(list[0].first_utc, "2026-11-28T08:00:00Z");
  EXPECT_EQ(list[0].last_utc, "2026-11-28T09:00:00Z");
  EXPECT_EQ(list[0].device, "Invented CPU, x86-64-avx2, 8 units");
  EXPECT_EQ(list[0].libraries, std::vector<std::string>{"toy 1.2"}) << "those of the trials' own families";
  ASSERT_EQ(list[0].policies.size(), 2U);
  EXPECT_TRUE(list[0].policies[0].starts_with("confirm, warmup 5")) << list[0].policies[0];
}

TEST(TuningFacts, ColdInstructionsAreAnotherPolicy) {
  auto cold = trial(1, Stage::confirm);
  cold.context.policy.measure.cold_cache = true;
  auto colder = cold;
  colder.context.policy.measure.cold_instructions = true;
  const auto list = provenances(std::vector{cold, colder});
  ASSERT_EQ(list.size(), 1U);
  ASSERT_EQ(list[0].policies.size(), 2U);
  EXPECT_NE(list[0].policies[0].find("cold cache, cold instructions, errRatio"), std::string::npos)
      << list[0].policies[0];
  EXPECT_NE(list[0].policies[1].find("cold cache, errRatio"), std::string::npos) << list[0].policies[1];
}

}  // namespace
}  // namespace gemmtune
