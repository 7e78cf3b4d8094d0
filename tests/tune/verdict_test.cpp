#include "gemmtune/tune/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;

const Candidate a{.family = "toy", .name = "a"};
const Candidate b{.family = "toy", .name = "b"};
const Candidate c{.family = "toy", .name = "c"};

std::vector<std::string> names(const std::vector<Evaluation>& evaluations) {
  std::vector<std::string> result;
  for (const Evaluation& e : evaluations) result.push_back(e.candidate.name);
  return result;
}

ShapeResult verdict(const std::vector<Evaluation>& evaluations, bool complete = true) {
  ShapeResult result{.complete = complete, .cut_short_by = complete ? "" : "the run was stopped"};
  return with_verdict(result, evaluations, a);
}

TEST(Verdict, IsTheFastestConfirmedNotTheFastestScreened) {
  const auto result =
      verdict({answered(a, Stage::screen, 1), answered(b, Stage::screen, 2), answered(a, Stage::confirm, 9),
               answered(b, Stage::confirm, 8), answered(b, Stage::prove, 0)});
  EXPECT_EQ(result.winner->candidate, b);
  EXPECT_EQ(result.winner->timing.median_us, 8);
  EXPECT_THAT(names(result.confirmed), ElementsAre("b", "a"));
  EXPECT_EQ(result.default_choice->timing.median_us, 9);
}

TEST(Verdict, LeavesOutWhatWasDisproved) {
  const auto result = verdict({answered(a, Stage::screen, 1), answered(b, Stage::screen, 2),
                               answered(a, Stage::confirm, 1), answered(b, Stage::confirm, 2),
                               refused(a, Stage::prove, Outcome::wrong_result), answered(b, Stage::prove, 0)});
  EXPECT_EQ(result.winner->candidate, b);
  EXPECT_THAT(names(result.confirmed), ElementsAre("b"));
  ASSERT_TRUE(result.default_choice) << "it has a time, and is not right";
  EXPECT_EQ(result.default_choice->timing.median_us, 1);
  EXPECT_EQ(result.default_choice->outcome, Outcome::wrong_result);
  EXPECT_THAT(names(result.failures), ElementsAre("a"));
}

TEST(Verdict, ComparesWithADefaultChoiceThatIsMerelyInaccurate) {
  auto inaccurate = refused(a, Stage::confirm, Outcome::wrong_result);
  inaccurate.timing.median_us = 1;
  const auto result = verdict({refused(a, Stage::screen, Outcome::wrong_result), answered(b, Stage::screen, 2),
                               inaccurate, answered(b, Stage::confirm, 2), answered(b, Stage::prove, 0)});
  EXPECT_EQ(result.winner->candidate, b);
  EXPECT_THAT(names(result.confirmed), ElementsAre("b"));
  ASSERT_TRUE(result.default_choice);
  EXPECT_EQ(result.default_choice->candidate, a);
  EXPECT_EQ(result.default_choice->outcome, Outcome::wrong_result);
  EXPECT_EQ(result.default_choice->timing.median_us, 1);
}

TEST(Verdict, HasNothingToCompareWithWhereTheDefaultChoiceWasNotTimed) {
  const auto result = verdict({refused(a, Stage::screen, Outcome::crashed), answered(b, Stage::screen, 2),
                               answered(b, Stage::confirm, 2), answered(b, Stage::prove, 0)});
  EXPECT_FALSE(result.default_choice);
}

TEST(Verdict, FallsBackToScreeningWhenCutShort) {
  const auto result =
      verdict({answered(a, Stage::screen, 3), answered(b, Stage::screen, 2), answered(b, Stage::prove, 0)}, false);
  EXPECT_EQ(result.winner->candidate, b);
  EXPECT_EQ(result.winner->stage, Stage::screen);
  EXPECT_TRUE(result.confirmed.empty());
  EXPECT_EQ(result.default_choice->stage, Stage::screen);
  EXPECT_EQ(result.why_failed, "");
}

TEST(Verdict, DoesNotFallBackToWhatFailedLater) {
  const auto result = verdict({answered(a, Stage::screen, 1), answered(b, Stage::screen, 2),
                               answered(c, Stage::screen, 3), refused(a, Stage::confirm, Outcome::crashed),
                               answered(b, Stage::confirm, 2), refused(b, Stage::prove, Outcome::wrong_result)},
                              false);
  ASSERT_TRUE(result.unproven);
  EXPECT_EQ(result.unproven->candidate, c);
  EXPECT_EQ(result.unproven->stage, Stage::screen);
}

TEST(Verdict, MakesNoWinnerOfWhatIsNotProven) {
  for (const Stage stage : {Stage::screen, Stage::confirm}) {
    const auto result = verdict({answered(a, stage, 3), answered(b, stage, 2)}, false);
    EXPECT_FALSE(result.winner);
    ASSERT_TRUE(result.unproven);
    EXPECT_EQ(result.unproven->candidate, b);
    EXPECT_EQ(result.why_failed, "the run was stopped; until then b was the fastest with 2 us, but it was not proven");
    EXPECT_TRUE(result.confirmed.empty());
    EXPECT_TRUE(result.tied.empty());
  }
}

TEST(Verdict, PrefersTheFastestOfThoseThatAreProven) {
  const auto result =
      verdict({answered(a, Stage::confirm, 3), answered(b, Stage::confirm, 2), answered(c, Stage::confirm, 1),
               answered(a, Stage::prove, 0), answered(b, Stage::prove, 0)},
              false);
  ASSERT_TRUE(result.winner);
  EXPECT_EQ(result.winner->candidate, b);
  EXPECT_TRUE(result.tied.empty());
}

TEST(Verdict, HasNoWinnerWithoutATime) {
  const auto result = verdict({answered(a, Stage::screen, 0)});
  EXPECT_FALSE(result.winner);
  EXPECT_NE(result.why_failed, "");
}

TEST(Verdict, SaysWhatCutItShortBeforeAnythingWasRight) {
  EXPECT_EQ(verdict({}, false).why_failed, "the run was stopped");
  EXPECT_EQ(verdict({refused(a, Stage::screen, Outcome::crashed)}, false).why_failed,
            "the run was stopped; until then none of 1 candidates is right: 1 crashed; the first: a: crashed as told");
}

}  // namespace
}  // namespace gemmtune
