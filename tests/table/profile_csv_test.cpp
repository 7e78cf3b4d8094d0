#include "gemmtune/table/profile_csv.h"

#include <gtest/gtest.h>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/table/aiter_csv.h"

namespace gemmtune {
namespace {

const Problem problem = parse_problem("1x512x4096:a4w4");

std::string line_for(const Evaluation& evaluation) {
  return profile_line(profile_columns({Format::a4w4}), {tuned_row(problem, evaluation, "x86-64-avx2", 2), evaluation});
}

TEST(ProfileCsv, AGoodCandidateHasAiterColumnsThenOurs) {
  EXPECT_EQ(csv_line(profile_columns({Format::a4w4})),
            "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio,outcome,reason,stage");
  EXPECT_EQ(line_for({.candidate = {.family = "f", .name = "f_a", .split_k = 2},
                      .stage = Stage::confirm,
                      .timing = {.median_us = 5.4049},
                      .accuracy = {.err_ratio = 0.01}}),
            "2,1,512,4096,-1,1,5.4049,f_a,0.78,194.57,0.01,ok,,confirm");
}

TEST(ProfileCsv, FailuresHaveAiterMarksAndAReasonOnOneLine) {
  EXPECT_EQ(line_for({.candidate = {.family = "f", .name = "f_a"},
                      .outcome = Outcome::unsupported,
                      .reason = "K % 256 != 0,\nno \"tail\""}),
            "2,1,512,4096,-1,0,-1.0,f_a,0.0,0.0,1.0,unsupported,\"K % 256 != 0, no \"\"tail\"\"\",screen");
  for (const auto outcome : {Outcome::crashed, Outcome::timed_out})
    EXPECT_EQ(line_for({.candidate = {.family = "f", .name = "f_a"}, .outcome = outcome, .timing = {.median_us = 3}}),
              "2,1,512,4096,-1,0,inf,f_a,0.0,0.0,1.0," + std::string(to_string(outcome)) + ",,screen");
}

TEST(ProfileCsv, ALineHasTheCellsOfItsColumns) {
  const Evaluation evaluation{.candidate = {.family = "f", .name = "f_a"}, .timing = {.median_us = 5.4049}};
  EXPECT_EQ(profile_line({"gfx", "cu_num", "M", "N", "K", "us", "kernelName", "note"},
                         {tuned_row(problem, evaluation, "gfx950", 256), evaluation}),
            "gfx950,256,1,512,4096,5.4049,f_a,");
}

TEST(ProfileCsv, AitersColumnsAreAProfilesToo) {
  insist_on_profile(profile_columns({Format::a4w4}), Format::a4w4, "ours.csv");
  insist_on_profile(tuned_columns(Format::a4w4), Format::a4w4, "aiter.csv");
  EXPECT_THROW(insist_on_profile({"M", "N", "K"}, Format::a4w4, "list.csv"), Error);
  EXPECT_THROW(insist_on_profile(tuned_columns(Format::a8w8), Format::a4w4, "a8w8.csv"), Error);
}

TEST(ProfileCsv, IsNoTable) {
  const auto names = tuned_columns(Format::a4w4);
  insist_on_no_profile(names, "tuned.csv");
  EXPECT_EQ(read_tuned_table(parse_csv(csv_line(names) + '\n', "tuned.csv"), Format::a4w4).rows.size(), 0U);
  EXPECT_THROW(
      (void)read_tuned_table(parse_csv(csv_line(profile_columns({Format::a4w4})) + '\n', "profile.csv"), Format::a4w4),
      Error);
}

}  // namespace
}  // namespace gemmtune
