#include "gemmtune/cli/tune/progress_text.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

const Problem problem = parse_problem("16x768x1024:a16w16");

Evaluation timed(std::string name, double time_us) {
  return {.candidate = {.family = "f", .name = std::move(name)}, .timing = {.median_us = time_us}};
}

TEST(ProgressText, TheLineHasTheBarTheCountsAndTheShape) {
  ProgressState state{.shapes = 4, .done = 1, .failed_candidates = 2, .latest = problem, .elapsed_s = 30};
  state.running[problem] = {.candidates = 100, .evaluated = 50, .best = timed("f_a", 12.3456)};
  EXPECT_EQ(progress_line(state, 200),
            "[=======>            ] 1/4 shapes, 2 failed, 30 s, 50 s left, 16x768x1024:bf16:bf16:bf16 50/100, "
            "best f_a 12.35 us");
}

TEST(ProgressText, TheLineIsCutToTheTerminal) {
  ProgressState state{.shapes = 4, .latest = problem};
  state.running[problem] = {.candidates = 100};
  for (const std::size_t width : {0, 1, 20, 79}) EXPECT_LE(progress_line(state, width).size(), width);
}

TEST(ProgressText, TheShareNeverLeavesZeroToOne) {
  EXPECT_EQ(done_share({}), 1);
  ProgressState state{.shapes = 1};
  EXPECT_EQ(done_share(state), 0);
  state.running[problem] = {.candidates = 10, .evaluated = 25};  // confirmations come on top of screenings
  EXPECT_EQ(done_share(state), 1);
  state.running[problem] = {};
  EXPECT_EQ(done_share(state), 0);
}

TEST(ProgressText, AShapeThatIsDoneSaysItsWinner) {
  const ShapeResult result{.shape = {.problem = problem},
                           .winner = timed("f_a", 10),
                           .complete = true,
                           .default_choice = timed("f_default", 15),
                           .tried = 7,
                           .reused = 1,
                           .wall_s = 2.5};
  EXPECT_EQ(shape_line(result, 3, 16), "[3/16] 16x768x1024:bf16:bf16:bf16: 10 us, 1.50x, f_a, 2.5 s");
  EXPECT_EQ(shape_details(result), "16x768x1024:bf16:bf16:bf16: 7 trials, 1 from the store, 0 failed, 2.517 TFLOPS");
  auto long_name = result;
  long_name.winner->candidate.name = "f_with_a_name_that_is_long_enough_to_be_cut";
  EXPECT_EQ(shape_line(long_name, 3, 16, 80),
            "[3/16] 16x768x1024:bf16:bf16:bf16: 10 us, 1.50x, f_with_a_nam…h_to_be_cut, 2.5 s");
}

ShapeResult with_claim(double regret, double low_us, double high_us) {
  ShapeResult result{.shape = {.problem = problem},
                     .winner = timed("f_a", 10),
                     .complete = true,
                     .claim = RegretClaim{.regret = regret, .probability = 0.95, .target = 0.02}};
  result.winner->timing.low_us = low_us;
  result.winner->timing.high_us = high_us;
  return result;
}

TEST(ProgressText, AShapeThatIsDoneSaysTheRegretItsSearchStates) {
  EXPECT_NE(shape_details(with_claim(0.0081, 9.99, 10.01)).find(", regret at most 0.8 % (95 % sure)"),
            std::string::npos);
}

TEST(ProgressText, ARegretThatTheIntervalsCauseSaysSo) {
  EXPECT_NE(
      shape_details(with_claim(0.669, 7, 12))
          .find(", regret at most 66.9 % (95 % sure), and not 2.0 %: measuring longer taught nothing more, mostly "
                "because the times scatter"),
      std::string::npos);
  EXPECT_EQ(shape_details(with_claim(0.669, 9.9, 10.1)).find("scatter"), std::string::npos)
      << "candidates were left out";
}

TEST(ProgressText, ASearchThatWasCutShortClaimsNothing) {
  auto result = with_claim(0.01, 9.9, 10.1);
  result.complete = false;
  result.cut_short_by = "the budget of 2 s is spent";
  result.claim.reset();
  EXPECT_EQ(regret_text(result), "-") << "of a search that never claims anything";
  result.why_no_claim = "the search was cut short";
  EXPECT_EQ(regret_text(result), "no claim");
  EXPECT_EQ(claim_in_words(result), "no claim, since the search was cut short");
  EXPECT_TRUE(shape_details(result).ends_with(", regret: no claim, since the search was cut short"));
  const auto line = shape_line(result, 1, 1);
  EXPECT_TRUE(line.ends_with(", cut short: the budget of 2 s is spent")) << line;
}

TEST(ProgressText, NoRegretIsStatedWithoutAnErrorBar) {
  auto result = with_claim(0, 10, 10);
  result.winner->timing.sample_count = 1;
  EXPECT_EQ(regret_text(result), "not known");
  auto line = shape_details(result);
  EXPECT_NE(line.find(", regret not known: the winner's time has one sample, and no error bar"), std::string::npos)
      << line;
  result.winner->timing.sample_count = 101;
  line = shape_details(result);
  EXPECT_NE(line.find(", regret not known: the winner's samples are all equal, and give no error bar"),
            std::string::npos)
      << line;
  EXPECT_EQ(regret_text(with_claim(0.0001, 9.99, 10.01)), "0.1 %") << "never 0.0 %";
}

TEST(ProgressText, AShapeThatFailedSaysWhy) {
  const ShapeResult result{.shape = {.problem = problem}, .why_failed = "no family can do this"};
  EXPECT_EQ(shape_line(result, 1, 2), "[1/2] 16x768x1024:bf16:bf16:bf16: no family can do this");
}

TEST(ProgressText, AShapeWhoseBestIsNotProvenSaysSo) {
  const ShapeResult result{.shape = {.problem = problem},
                           .unproven = timed("f_a", 10),
                           .why_failed =
                               "the budget of 2 s is spent; until then f_a was the fastest with 10 us, but it "
                               "was not proven"};
  EXPECT_EQ(shape_line(result, 1, 2),
            "[1/2] 16x768x1024:bf16:bf16:bf16: the budget of 2 s is spent; until then f_a was the fastest with 10 us, "
            "but it was not proven");
  EXPECT_EQ(speedup(result), std::nullopt);
}

TEST(ProgressText, ThereIsNoSpeedupWithoutADefault) {
  EXPECT_EQ(speedup({}), std::nullopt);
  EXPECT_EQ(speedup({.winner = timed("f_a", 10)}), std::nullopt);
  EXPECT_EQ(speedup({.winner = timed("f_a", 10), .default_choice = timed("f_d", 12)}), 1.2);
  EXPECT_EQ(gain_text({.winner = timed("f_a", 10), .default_choice = timed("f_d", 12)}), "1.20x");
  EXPECT_EQ(gain_text({.winner = timed("f_a", 10), .tied = {"f_a", "f_d"}, .default_choice = timed("f_d", 12)}), "tie");
  EXPECT_EQ(gain_text({.winner = timed("f_d", 10), .default_choice = timed("f_d", 10)}), "default");
  EXPECT_EQ(gain_text({.winner = timed("f_a", 10)}), "-");
  auto wrong = timed("f_d", 12);
  wrong.outcome = Outcome::wrong_result;
  EXPECT_EQ(gain_text({.winner = timed("f_a", 10), .default_choice = wrong}), "1.20x (wrong)");
}

}  // namespace
}  // namespace gemmtune
