#include "gemmtune/tune/relatives.h"

#include <gtest/gtest.h>

#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

Evaluation failed(const std::string& family, const std::string& name, Outcome outcome) {
  return refused({.family = family, .name = name}, Stage::screen, outcome);
}

TEST(Relatives, AreOfTheWinnersFamilyAndFailedAsARaceDoes) {
  ShapeResult result{
      .failures = {failed("other", "other_0", Outcome::crashed), failed("toy", "toy_0", Outcome::wrong_result),
                   failed("toy", "toy_1", Outcome::launch_failed), failed("toy", "toy_2", Outcome::timed_out),
                   failed("toy", "toy_1", Outcome::crashed), failed("toy", "toy_3", Outcome::unsupported)}};
  EXPECT_TRUE(crashed_relatives(result).empty()) << "no winner";
  result.winner = answered({.family = "toy", .name = "toy_9"}, Stage::confirm, 10);
  const auto relatives = crashed_relatives(result);
  ASSERT_EQ(relatives.size(), 2U);
  EXPECT_EQ(relatives[0]->candidate.name, "toy_1") << "once";
  EXPECT_EQ(relatives[1]->candidate.name, "toy_2");
}

}  // namespace
}  // namespace gemmtune
