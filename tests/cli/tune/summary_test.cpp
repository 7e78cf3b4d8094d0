#include "gemmtune/cli/tune/summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

namespace gemmtune {
namespace {

const Problem problem = parse_problem("64x64x64:a16w16");

Evaluation winner(double time_us) {
  return {.candidate = {.family = "f", .name = "f_a"}, .stage = Stage::confirm, .timing = {.median_us = time_us}};
}

RunSummary example() {
  RunSummary run{.wall_s = 10, .workers = 1};
  run.results.push_back(
      {.shape = {.problem = problem},
       .winner = winner(2),
       .complete = true,
       .tied = {"f_a", "f_b"},
       .default_choice = Evaluation{.candidate = {.family = "f", .name = "f_d"}, .timing = {.median_us = 3}},
       .tried = 4,
       .reused = 1,
       .cost = {.kernel_s = 5, .prepare_s = 1, .operands_s = 1, .reference_s = 1, .verify_s = 1},
       .listing_s = 0.5,
       .search_s = 0.1});
  run.results.push_back({.shape = {.problem = parse_problem("1x64x64:a16w16")}, .why_failed = "no family can do this"});
  return run;
}

TEST(Summary, ShowsWinnersCountsAndWhereTheTimeWent) {
  EXPECT_EQ(summary_text(example()),
            "bf16:bf16:bf16\n"
            "shape     winner  time  TFLOPS  vs default  ties\n"
            "--------  ------  ----  ------  ----------  ----\n"
            "64x64x64  f_a     2 us  0.2621       1.50x     1\n"
            "1x64x64   failed\n"
            "\n"
            "1x64x64: no family can do this\n"
            "1 tuned, 1 failed, 0 skipped\n"
            "geometric mean against the default: 1.50x over 1 shape\n"
            "one call of each shape: 3 us by default, 2 us tuned, 33.3 % less\n"
            "10 s of wall time: kernels 50 %, prepare 10 %, operands 10 %, reference 10 %, verify 10 %, listing 5 %, "
            "search 1 %, overhead 4 %\n");
}

TEST(Summary, LeavesDefaultsThatAreWrongOutOfTheMean) {
  auto run = example();
  run.results.push_back(run.results[0]);
  run.results.back().default_choice->outcome = Outcome::wrong_result;
  run.results.back().default_choice->timing.median_us = 1;
  const auto text = summary_text(run);
  EXPECT_NE(text.find("0.50x (wrong)"), std::string::npos) << text;
  EXPECT_NE(text.find("one call of each shape: 3 us by default, 2 us tuned, 33.3 % less\n"
                      "left out of both: 1 shape whose default is wrong\n"),
            std::string::npos)
      << text;
}

TEST(Summary, StatesTheRegretOfSearchesThatDo) {
  auto run = example();
  run.results[0].claim = RegretClaim{.regret = 0.0123, .probability = 0.95};
  run.results[0].winner->timing.low_us = 1.99;
  run.results[0].winner->timing.high_us = 2.01;
  const auto text = summary_text(run);
  EXPECT_NE(text.find("ties  regret\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     1   1.2 %\n"), std::string::npos) << text;
}

TEST(Summary, LinesFitTheTerminalWhereNamesAreCut) {
  auto run = example();
  run.results[0].winner->candidate.name = "mxfp4_int8_row_m128_n256_s4_cm2_cn1_g8_alongm_p0_k1";
  run.results[1].why_failed = "a reason that is so long that it does not fit any terminal that there is, and goes on";
  run.inputs.too_large.push_back({{.problem = problem}, "9 GFLOP, above the limit of --max-gflop 2"});
  run.width = 60;
  const auto text = summary_text(run);
  EXPECT_NE(text.find("64x64x64  mxfp4_int8_ro…alongm_p0_k1  2 us       1.50x"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  skipped 64x64x64:bf16:bf16:bf16: 9 GFLOP, above the limit\n  of --max-gflop 2"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("prepare 10 %, operands\n  10 %, reference 10 %"), std::string::npos) << text;
  std::istringstream table(text.substr(0, text.find("\nfailed candidates")));
  constexpr std::size_t more_bytes = 2;  // of the one character that has three
  for (std::string line; std::getline(table, line);) EXPECT_LE(line.size(), 60 + more_bytes) << text;
}

/// With types beside the sizes, and with options, a shape can take more than its share of a line.
TEST(Summary, LongShapesAreCutWhereNamesCannotBeCutFurther) {
  auto run = example();
  run.results[0].shape.problem = parse_problem("8x1024x1024:bf16/q8:e2m1/1x32:bf16:packed");
  run.results[0].winner->candidate.name = "mxfp4_int8_row_m128_n256_s4_cm2_cn1_g8_alongm_p0_k1";
  run.width = 70;
  const auto text = summary_text(run);
  const auto table = text.substr(0, text.find("\n\n"));
  EXPECT_NE(table.find("8x1024x1024:"), std::string::npos) << text;
  EXPECT_EQ(table.find("bf16/q8:e2m1/1x32:bf16:packed"), std::string::npos) << text;
  constexpr std::size_t more_bytes = 4;  // of two characters that have three
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 70 + more_bytes) << text;
}

TEST(Summary, ShapesOfSeveralTypesSayTheirs) {
  auto run = example();
  run.results[1].shape.problem = parse_problem("1x64x64:f32:f32:f32");
  EXPECT_NE(summary_text(run).find("\n64x64x64:bf16:bf16:bf16  f_a"), std::string::npos) << summary_text(run);
  EXPECT_NE(summary_text(run).find("\n1x64x64:f32:f32:f32  "), std::string::npos) << summary_text(run);
}

TEST(Summary, AListWithWeightsIsAddedUpByThem) {
  auto run = example();
  run.results[0].shape.weight = 1000;
  EXPECT_NE(summary_text(run).find("all calls of the list: 3 ms by default, 2 ms tuned, 33.3 % less\n"),
            std::string::npos)
      << summary_text(run);
}

TEST(Summary, WhatWasNotReachedHasNotFailed) {
  auto run = example();
  run.results[1].reached = false;
  run.results[1].why_failed = "not reached: the budget of 2 s is spent";
  const auto text = summary_text(run);
  EXPECT_NE(text.find("1x64x64   not reached\n\n1x64x64: not reached: the budget of 2 s is spent\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("1 tuned, 0 failed, 0 skipped, 1 not reached\n"), std::string::npos) << text;
}

TEST(Summary, SaysWhatTheRegretSupposesAndWhereItIsLargerThanWasAimedAt) {
  auto run = example();
  run.results[0].winner->timing.low_us = 1.99;
  run.results[0].winner->timing.high_us = 2.01;
  run.results[0].claim = RegretClaim{.regret = 0.0123, .probability = 0.95, .target = 0.02};
  EXPECT_EQ(summary_text(run).find("regret: "), std::string::npos);
  run.results[0].claim = RegretClaim{.regret = 0.03, .probability = 0.95, .target = 0.02, .unseen = 7};
  const auto text = summary_text(run);
  EXPECT_NE(text.find("regret: for 1 shape, not all candidates were measured"), std::string::npos) << text;
  EXPECT_NE(text.find("regret: for 1 shape, the bound stayed above 2.0 %"), std::string::npos) << text;
}

TEST(Summary, SaysWhereThereIsNoClaim) {
  auto run = example();
  run.results[0].why_no_claim = "the search was cut short";
  run.results[1].why_no_claim = "the search was cut short";
  const auto text = summary_text(run);
  EXPECT_NE(text.find("ties    regret\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     1  no claim\n"), std::string::npos) << text;
  EXPECT_NE(text.find("regret: for 1 shape, no claim, since the search was cut short\n"), std::string::npos)
      << "without a winner there is nothing to claim: " << text;
}

TEST(Summary, ListsWhatWasLeftOut) {
  RunSummary run{};
  run.inputs.rejected.push_back({"s.csv:3:1", "M: found 'x', expected a whole number above 0"});
  run.inputs.too_large.push_back({{.problem = problem}, "9 GFLOP, above --max-gflop 2"});
  run.inputs.already_tuned.push_back({{.problem = problem}, "already in t.csv"});
  EXPECT_EQ(summary_text(run),
            "0 tuned, 0 failed, 2 skipped, 1 lines rejected\n"
            "  rejected s.csv:3:1: M: found 'x', expected a whole number above 0\n"
            "  skipped 64x64x64:bf16:bf16:bf16: 9 GFLOP, above --max-gflop 2\n"
            "  skipped 1 that are already in t.csv; --all tunes them again\n");
  run.inputs.too_large.push_back(run.inputs.too_large.front());
  EXPECT_NE(summary_text(run).find("  skipped 64x64x64:bf16:bf16:bf16 and 1 more that are too large: 9 GFLOP"),
            std::string::npos);
  run.list_already_tuned = true;
  EXPECT_NE(summary_text(run).find("  skipped 64x64x64:bf16:bf16:bf16: already in t.csv\n"), std::string::npos);
}

TEST(Summary, GroupsFailuresByKindWithACommandThatShowsThem) {
  auto run = example();
  for (int i = 0; i < 5; ++i)
    run.results[0].failures.push_back({.candidate = {.family = "f", .name = fmt::format("f_{}", i)},
                                       .outcome = Outcome::wrong_result,
                                       .reason = "row 3 is wrong",
                                       .seed = 2005});
  run.results[0].failures.push_back({.candidate = {.family = "f", .name = "f_x"},
                                     .stage = Stage::prove,
                                     .outcome = Outcome::crashed,
                                     .reason = "killed"});
  const auto text = summary_text(run);
  EXPECT_NE(
      text.find(
          "failed candidates:\n  5 wrong_result\n    f_0: row 3 is wrong\n"
          "      gemmtune evaluate --problem 64x64x64:bf16:bf16:bf16 --candidate f_0 --seed 2005 --stage screen\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("    and 2 more"), std::string::npos) << text;
  EXPECT_NE(text.find("  1 crashed\n    f_x: killed\n"), std::string::npos) << text;
}

TEST(Summary, SaysHowManyShapesHaveABestThatIsNotProven) {
  auto run = example();
  EXPECT_EQ(summary_text(run).find("not proven"), std::string::npos);
  run.results[1].unproven = winner(3);
  run.results[1].why_failed =
      "the budget of 2 s is spent; until then f_a was the fastest with 3 us, but it was not proven";
  EXPECT_NE(summary_text(run).find("1 tuned, 1 failed, 0 skipped\n"
                                   "1 shape has a fastest candidate that was not proven, and got no row; the next run "
                                   "goes on there and proves it\n"),
            std::string::npos)
      << summary_text(run);
  run.results.push_back(run.results[1]);
  EXPECT_NE(summary_text(run).find("2 shapes have a fastest"), std::string::npos);
  EXPECT_EQ(count_shapes(run).failed, 2U);
}

TEST(Summary, SaysWhatPackedWeightsWouldGain) {
  auto run = example();
  EXPECT_EQ(summary_text(run).find("packing"), std::string::npos);
  run.packing = {{.problem = problem, .kernel = "f_p", .packed_us = 550, .unpacked_us = 990},
                 {.problem = parse_problem("1x64x64:a16w16"), .kernel = "f_p", .packed_us = 40, .unpacked_us = 60}};
  EXPECT_NE(
      summary_text(run).find("packing: with weights packed once, ahead of all calls, 64x64x64:bf16:bf16:bf16 takes "
                             "about 550 us instead of 990 us (1.8x), 1x64x64:bf16:bf16:bf16 takes about 40 us "
                             "instead of 60 us (1.5x); to tune for that: 'gemmtune shapes from-model --packed'"),
      std::string::npos)
      << summary_text(run);
}

TEST(Summary, SaysThatTimesScatter) {
  auto run = example();
  EXPECT_EQ(summary_text(run).find("noise"), std::string::npos);
  run.results[0].winner->timing.dispersion = 0.2;
  run.results[0].default_choice->timing.dispersion = 0.3;
  EXPECT_NE(summary_text(run).find("noise: 2 of 2 times have a spread above 5 %"), std::string::npos)
      << summary_text(run);
}

TEST(Summary, TellsTheWinnersUserOfRelativesThatCrashed) {
  auto run = example();
  run.results[0].failures.push_back(
      {.candidate = {.family = "f", .name = "f_x"}, .outcome = Outcome::crashed, .reason = "killed"});
  EXPECT_NE(summary_text(run).find("1 candidate of the winner's family f crashed"), std::string::npos)
      << summary_text(run);
}

TEST(Summary, CountsAShapeThatWasNotReachedAsFailed) {
  const auto counts = count_shapes(example());
  EXPECT_EQ(counts.tuned, 1U);
  EXPECT_EQ(counts.failed, 1U);
}

}  // namespace
}  // namespace gemmtune
