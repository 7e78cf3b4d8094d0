#include "gemmtune/replay/record_store.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gemmtune/measure/sampler.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

class RecordStore : public testing::Test {
 protected:
  Trial& add(int number, Stage stage, std::int64_t m = 64) {
    Trial trial{.problem = invented_problem(m),
                .evaluation = invented_evaluation(number, stage),
                .context = invented_context(stage)};
    trial.evaluation.timing.samples_us.clear();
    trial.evaluation.timing.turns.clear();
    trials.push_back(trial);
    return trials.back();
  }

  std::vector<Trial> trials;
};

TEST_F(RecordStore, KeepsTheOrderInWhichCandidatesWereTried) {
  for (const int number : {3, 1, 2}) add(number, Stage::screen);
  add(1, Stage::confirm);
  add(1, Stage::screen, 128);
  const auto recording = recording_of(trials);
  ASSERT_EQ(recording.size(), 2U);
  ASSERT_EQ(recording[0].candidates.size(), 3U);
  EXPECT_EQ(recording[0].candidates[0].candidate, invented_candidate(3));
  EXPECT_EQ(recording[0].candidates[1].candidate.params, invented_candidate(1).params);
  EXPECT_TRUE(recording[0].candidates[0].confirm.us.empty());
  EXPECT_FALSE(recording[0].candidates[1].confirm.us.empty());
  EXPECT_EQ(recording[0].device, "Invented CPU (x86-64-avx2)");
  EXPECT_EQ(recording[0].candidates[0].memory_bytes, 4096 + 128);
}

TEST_F(RecordStore, RebuildsUpToThreeSamplesOfScreeningExactly) {
  for (const auto& samples : std::vector<std::vector<double>>{{9}, {9, 13}, {9, 10, 14}}) {
    trials.clear();
    add(0, Stage::screen).evaluation.timing = summarise({.us = samples}, false);
    EXPECT_EQ(recording_of(trials)[0].candidates[0].screen_us, samples);
  }
}

TEST_F(RecordStore, RebuildsMoreSamplesAboutTheirMedianAndNeverBelowTheFastest) {
  auto& timing = add(0, Stage::screen).evaluation.timing;
  timing = summarise({.us = {900, 1000, 1200, 4000}, .turns = {2, 2}}, false);
  ASSERT_LT(timing.low_us, 0) << "the interval of so few reaches further than any sample";
  EXPECT_EQ(recording_of(trials)[0].candidates[0].screen_us, (std::vector<double>{900, 1100, 1100, 1300}));
}

TEST_F(RecordStore, ThinsManySamplesEvenly) {
  auto& timing = add(0, Stage::confirm).evaluation.timing;
  timing.samples_us.resize(101);
  std::iota(timing.samples_us.rbegin(), timing.samples_us.rend(), 1.0);
  add(0, Stage::screen);
  const auto kept = recording_of(trials)[0].candidates[0].confirm.us;
  ASSERT_EQ(kept.size(), most_recorded_samples);
  EXPECT_LE(kept.front(), 4);
  EXPECT_GE(kept.back(), 98);
  EXPECT_NEAR(kept[most_recorded_samples / 2], 51, 3);
}

TEST_F(RecordStore, KeepsAFewSamplesOfEachTurn) {
  add(0, Stage::screen);
  auto& timing = add(0, Stage::confirm).evaluation.timing;
  timing.samples_us.resize(60);
  std::iota(timing.samples_us.rbegin(), timing.samples_us.rend(), 1.0);
  timing.turns = {20, 20, 20};
  const auto kept = recording_of(trials)[0].candidates[0].confirm;
  EXPECT_EQ(kept.turns, (std::vector<std::size_t>{8, 8, 8}));
  const auto turns = turns_of(kept);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const double slowest = 60 - 20.0 * static_cast<double>(i);
    EXPECT_GT(turns[i].front(), slowest - 20);
    EXPECT_LE(turns[i].back(), slowest);
  }
}

TEST_F(RecordStore, KeepsNoMoreTurnsThanHaveTwoSamplesEach) {
  add(0, Stage::screen);
  auto& timing = add(0, Stage::confirm).evaluation.timing;
  timing.samples_us.assign(60, 5.0);
  timing.turns.assign(20, 3);
  const auto kept = recording_of(trials)[0].candidates[0].confirm;
  EXPECT_EQ(kept.us.size(), most_recorded_samples);
  EXPECT_EQ(kept.turns, std::vector<std::size_t>(most_recorded_samples / 2, 2));
}

TEST_F(RecordStore, TakesTheConfirmationWithAllItsSamplesNotARaceRound) {
  add(0, Stage::screen);
  auto& full = add(0, Stage::confirm).evaluation.timing;
  full.sample_count = 3;
  full.samples_us = {5, 6, 7};
  auto& round = add(0, Stage::confirm).evaluation.timing;
  round.sample_count = 2;
  round.samples_us = {1, 2};
  EXPECT_EQ(recording_of(trials)[0].candidates[0].confirm.us, (std::vector<double>{5, 6, 7}));
}

TEST_F(RecordStore, SaysAtWhichStageOneFailed) {
  add(0, Stage::screen);
  add(0, Stage::confirm);
  add(0, Stage::prove).evaluation.outcome = Outcome::wrong_result;
  const auto one = recording_of(trials)[0].candidates[0];
  EXPECT_EQ(one.outcome, Outcome::wrong_result);
  EXPECT_EQ(one.failed_at, Stage::prove);
  EXPECT_FALSE(one.screen_us.empty());
}

TEST_F(RecordStore, DoesNotChargeWhatOnlyTheFirstHadToCompile) {
  add(0, Stage::screen).evaluation.cost = {.prepare_s = 10, .verify_s = 1};
  add(0, Stage::confirm).evaluation.cost = {.prepare_s = 0.001, .verify_s = 0.002};
  EXPECT_NEAR(recording_of(trials)[0].candidates[0].overhead_us, 3000, 1e-6);
}

TEST_F(RecordStore, OfNothingIsEmpty) { EXPECT_TRUE(recording_of(trials).empty()); }

}  // namespace
}  // namespace gemmtune
