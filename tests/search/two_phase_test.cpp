#include "gemmtune/search/two_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/search/toy_space.h"

namespace gemmtune {
namespace {

using Confirm = TwoPhaseStrategy::Confirm;

int number_of(const Candidate& candidate) { return std::stoi(candidate.name.substr(4)); }

Evaluation faster_by_number(const Candidate& candidate, Stage stage) {
  return timed(candidate, stage, 1000 + 10 * number_of(candidate));
}

// "screen 50, confirm 20, prove 1", as the batches came.
std::vector<std::pair<Stage, std::size_t>> outline(const std::vector<Batch>& batches) {
  std::vector<std::pair<Stage, std::size_t>> sizes;
  for (const Batch& batch : batches) sizes.emplace_back(batch.stage, batch.candidates.size());
  return sizes;
}

using Outline = std::vector<std::pair<Stage, std::size_t>>;

TEST(TwoPhase, ScreensAllConfirmsTheBestTwentyAndProvesTheWinner) {
  TwoPhaseStrategy strategy(toy_candidates(50), Confirm::until_one_holds);
  const auto batches = play(strategy, faster_by_number);
  EXPECT_EQ(outline(batches), (Outline{{Stage::screen, 50}, {Stage::confirm, 20}, {Stage::prove, 1}}));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(number_of(batches[1].candidates[i]), static_cast<int>(i));
  EXPECT_EQ(number_of(batches[2].candidates[0]), 0);
}

TEST(TwoPhase, TheDefaultChoiceIsOneOfTheTwenty) {
  TwoPhaseStrategy strategy(toy_candidates(50), Confirm::until_one_holds);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
    return timed(c, stage, number_of(c) == 0 ? 9000 : 1000 + number_of(c));
  });
  EXPECT_EQ(batches.at(1).candidates.size(), 20U);
  EXPECT_EQ(number_of(batches[1].candidates.back()), 0);
}

TEST(TwoPhase, ConfirmsADefaultChoiceThatIsMerelyInaccurateOnce) {
  for (const auto which : {Confirm::until_one_holds, Confirm::all}) {
    TwoPhaseStrategy strategy(toy_candidates(50), which);
    const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
      return number_of(c) == 0 ? imprecise(c, stage, 50) : faster_by_number(c, stage);
    });
    EXPECT_EQ(number_of(batches.at(1).candidates.back()), 0);
    EXPECT_EQ(batches[1].candidates.size(), 21U);
    for (std::size_t i = 2; i < batches.size(); ++i)
      for (const auto& candidate : batches[i].candidates) EXPECT_NE(number_of(candidate), 0);
    EXPECT_EQ(number_of(batches.back().candidates[0]), 1) << "what is wrong wins nothing";
  }
}

TEST(TwoPhase, LeavesOutWhatIsHopelessButNotTheDefault) {
  TwoPhaseStrategy strategy(toy_candidates(30), Confirm::until_one_holds);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
    return timed(c, stage, number_of(c) == 0 ? 900 : 100 * number_of(c));
  });
  ASSERT_EQ(outline(batches), (Outline{{Stage::screen, 30}, {Stage::confirm, 3}, {Stage::prove, 1}}));
  EXPECT_EQ(number_of(batches[1].candidates[1]), 2) << "just twice the fastest";
  EXPECT_EQ(number_of(batches[1].candidates[2]), 0) << "the default choice";
}

TEST(TwoPhase, ConfirmsTheNextTwentyWhenNoneOfTheBestIsRight) {
  TwoPhaseStrategy strategy(toy_candidates(50), Confirm::until_one_holds);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
    if (stage == Stage::confirm && number_of(c) < 20) return failed(c, stage, Outcome::wrong_result);
    return faster_by_number(c, stage);
  });
  EXPECT_EQ(outline(batches),
            (Outline{{Stage::screen, 50}, {Stage::confirm, 20}, {Stage::confirm, 20}, {Stage::prove, 1}}));
  EXPECT_EQ(number_of(batches[3].candidates[0]), 20);
}

TEST(TwoPhase, ProvesTheNextBestWhenTheWinnerFails) {
  TwoPhaseStrategy strategy(toy_candidates(30), Confirm::until_one_holds);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
    if (stage == Stage::prove && number_of(c) < 2) return failed(c, stage, Outcome::wrong_result);
    return faster_by_number(c, stage);
  });
  ASSERT_EQ(batches.size(), 5U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(number_of(batches[2 + i].candidates[0]), i);
}

TEST(TwoPhase, GoesBackToConfirmingWhenAllOfABatchAreDisproved) {
  TwoPhaseStrategy strategy(toy_candidates(25), Confirm::until_one_holds);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
    if (stage == Stage::prove && number_of(c) < 20) return failed(c, stage, Outcome::crashed);
    return faster_by_number(c, stage);
  });
  ASSERT_EQ(batches.size(), 24U);
  EXPECT_EQ(batches[22].stage, Stage::confirm);
  EXPECT_EQ(batches[22].candidates.size(), 5U);
  EXPECT_EQ(number_of(batches[23].candidates[0]), 20);
}

TEST(TwoPhase, GoesBackToConfirmingWhenOnlyTheSlowDefaultIsLeft) {
  TwoPhaseStrategy strategy(toy_candidates(40), Confirm::until_one_holds);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
    if (stage == Stage::prove && number_of(c) > 0 && number_of(c) < 25) return failed(c, stage, Outcome::wrong_result);
    return timed(c, stage, number_of(c) == 0 ? 1900 : 1000 + 10 * number_of(c));
  });
  const auto second = std::ranges::find_if(batches.begin() + 2, batches.end(),
                                           [](const Batch& batch) { return batch.stage == Stage::confirm; });
  ASSERT_NE(second, batches.end());
  EXPECT_EQ(number_of(second->candidates[0]), 20);
  EXPECT_EQ(number_of(batches.back().candidates[0]), 25) << "not the default, which was right and slower";
}

TEST(TwoPhase, ExhaustiveConfirmsAllThatAreRight) {
  TwoPhaseStrategy strategy(toy_candidates(50), Confirm::all);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) {
    if (stage == Stage::screen && number_of(c) >= 45) return failed(c, stage, Outcome::unsupported);
    return stage == Stage::confirm ? timed(c, stage, 1000 - 10 * number_of(c)) : faster_by_number(c, stage);
  });
  EXPECT_EQ(
      outline(batches),
      (Outline{
          {Stage::screen, 50}, {Stage::confirm, 20}, {Stage::confirm, 20}, {Stage::confirm, 5}, {Stage::prove, 1}}));
  EXPECT_EQ(number_of(batches.back().candidates[0]), 44) << "the slowest when screened was the fastest when confirmed";
}

TEST(TwoPhase, AnAnswerWithoutATimeIsNoContender) {
  TwoPhaseStrategy strategy(toy_candidates(3), Confirm::until_one_holds);
  const auto batches = play(strategy, [](const Candidate& c, Stage stage) { return timed(c, stage, number_of(c)); });
  EXPECT_EQ(outline(batches), (Outline{{Stage::screen, 3}, {Stage::confirm, 2}, {Stage::prove, 1}}));
}

}  // namespace
}  // namespace gemmtune
