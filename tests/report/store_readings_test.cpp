#include "gemmtune/report/store_readings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

Trial trial(std::int64_t id, Stage stage, double time_us, Outcome outcome = Outcome::ok) {
  auto evaluation = invented_evaluation(0, stage);
  evaluation.outcome = outcome;
  evaluation.timing.median_us = time_us;
  return {.id = id, .problem = invented_problem(), .evaluation = evaluation, .context = invented_context(stage)};
}

TEST(StoreReadings, TheFurthestStageDecides) {
  const std::vector<Trial> trials{trial(1, Stage::screen, 9), trial(2, Stage::confirm, 10), trial(3, Stage::prove, 0)};
  const auto measurements = measurements_of(trials, "t.db");
  ASSERT_EQ(measurements.size(), 1U);
  EXPECT_EQ(measurements[0].time_us, 10) << "a proof times nothing";
  EXPECT_FALSE(measurements[0].screened_only);
  EXPECT_FALSE(measurements[0].unproven);
  EXPECT_EQ(measurements[0].backend, "toy");
  EXPECT_EQ(measurements[0].where, "t.db#2");
  EXPECT_EQ(to_string(measurements[0].shape.device), "x86-64-avx2/8");
  EXPECT_TRUE(measurements[0].has_interval());
}

TEST(StoreReadings, WhatWasDisprovedHasFailed) {
  const std::vector<Trial> trials{trial(1, Stage::confirm, 10), trial(2, Stage::prove, 0, Outcome::wrong_result)};
  EXPECT_EQ(measurements_of(trials, "t.db")[0].outcome, Outcome::wrong_result);
}

TEST(StoreReadings, WithoutAProofNothingIsProven) {
  const std::vector<Trial> trials{trial(1, Stage::screen, 9), trial(2, Stage::confirm, 10)};
  EXPECT_TRUE(measurements_of(trials, "t.db")[0].unproven);
}

TEST(StoreReadings, LaterTrialsReplaceEarlierOnes) {
  const std::vector<Trial> trials{trial(1, Stage::screen, 9, Outcome::crashed), trial(2, Stage::screen, 11)};
  const auto measurements = measurements_of(trials, "t.db");
  ASSERT_EQ(measurements.size(), 1U);
  EXPECT_EQ(measurements[0].outcome, Outcome::ok);
  EXPECT_TRUE(measurements[0].screened_only);
  EXPECT_TRUE(measurements[0].unproven);
}

/// Of candidate `number`, with the operands of a seed.
Trial confirmation(std::int64_t id, int number, double time_us, std::uint64_t seed, double target_dispersion = 0.005) {
  auto one = trial(id, Stage::confirm, time_us);
  one.evaluation.candidate = invented_candidate(number);
  one.evaluation.timing.samples_us = {time_us, time_us, time_us};
  one.context.policy.seed = seed;
  one.context.policy.measure.target_dispersion = target_dispersion;
  return one;
}

const Measurement& of(const std::vector<Measurement>& measurements, int number) {
  return *std::ranges::find(measurements, invented_candidate(number).name, &Measurement::kernel);
}

TEST(StoreReadings, ConfirmationsOfOneSearchAreJoinedAndComparable) {
  const std::vector<Trial> trials{confirmation(1, 1, 10, 0),    confirmation(2, 2, 12, 0),
                                  confirmation(3, 1, 40, 1000), confirmation(4, 2, 48, 1000),
                                  confirmation(5, 3, 1, 0, 0),  trial(6, Stage::screen, 2)};
  const auto measurements = measurements_of(trials, "t.db");
  EXPECT_NEAR(of(measurements, 1).time_us, 20, 0.1) << "the geometric mean";
  EXPECT_NEAR(of(measurements, 2).time_us, 24, 0.1);
  EXPECT_EQ(of(measurements, 1).batch, "t.db");
  EXPECT_EQ(of(measurements, 2).batch, "t.db");
  EXPECT_EQ(of(measurements, 3).batch, "") << "a round of a race";
  EXPECT_EQ(of(measurements, 0).batch, "") << "screened";
}

TEST(StoreReadings, ALaterSearchTakesThePlaceOfAnEarlierOne) {
  const std::vector<Trial> trials{confirmation(1, 1, 10, 0), confirmation(2, 2, 12, 0), confirmation(3, 1, 15, 0)};
  const auto measurements = measurements_of(trials, "t.db");
  EXPECT_EQ(of(measurements, 1).time_us, 15);
  EXPECT_EQ(of(measurements, 1).batch, "t.db");
  EXPECT_EQ(of(measurements, 2).batch, "") << "not beside the later one";
}

TEST(StoreReadings, FromAFile) {
  const TemporaryFolder folder;
  {
    auto store = TrialStore::open(folder.store());
    store.add(invented_problem(), invented_evaluation(1), invented_context());
    store.add(invented_problem(), invented_evaluation(2), invented_context());
  }
  const auto readings = read_store(folder.store());
  EXPECT_EQ(readings.measurements.size(), 2U);
  EXPECT_EQ(readings.sources, std::vector<std::string>{folder.store().string()});
}

}  // namespace
}  // namespace gemmtune
