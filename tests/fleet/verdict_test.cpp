#include "gemmtune/fleet/verdict.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

using Kind = JobEnd::Kind;

TEST(Verdict, ResultsCountIfTheProgramEndedByItself) {
  EXPECT_EQ(judge({.exit_code = 0, .right = 5}).verdict, JobVerdict::done);
  EXPECT_EQ(judge({.exit_code = 1, .right = 5}).verdict, JobVerdict::done);  // a shape that nobody supports
  EXPECT_EQ(judge({.exit_code = 0, .right = 5, .died = 3}).verdict, JobVerdict::done);
}

TEST(Verdict, WhereAllCandidatesCrashNothingCounts) {
  const auto judgement = judge({.exit_code = 1, .died = 4});
  EXPECT_EQ(judgement.verdict, JobVerdict::hosts_bad_word);
  EXPECT_TRUE(judgement.sets_aside);
}

TEST(Verdict, AHostThatBeginsToCrashIsDoubted) {
  EXPECT_EQ(judge({.exit_code = 1, .right = 5, .died = 4}).verdict, JobVerdict::hosts_bad_word);
}

TEST(Verdict, AnEndByTheUserIsNobodysFault) {
  EXPECT_EQ(judge({.exit_code = 130}).verdict, JobVerdict::stopped);
  EXPECT_EQ(judge({.exit_code = 143}).verdict, JobVerdict::stopped);
}

TEST(Verdict, WhatTheBudgetLeftIsToBeDone) {
  EXPECT_EQ(judge({.exit_code = 1, .right = 5, .is_out_of_time = true}).verdict, JobVerdict::stopped);
  EXPECT_EQ(judge({.exit_code = 1, .right = 5, .died = 1, .is_out_of_time = true}).verdict, JobVerdict::stopped);
  EXPECT_EQ(judge({.exit_code = 0, .right = 5, .is_out_of_time = true}).verdict, JobVerdict::done);
  const JobEnd all_died{.exit_code = 1, .died = 2, .is_out_of_time = true};
  EXPECT_EQ(judge(all_died).verdict, JobVerdict::hosts_bad_word);
  EXPECT_EQ(judge_trusted(all_died).verdict, JobVerdict::stopped);
}

TEST(Verdict, AHostThatCalibratesWellIsBelieved) {
  EXPECT_EQ(judge_trusted({.exit_code = 1, .died = 4}).verdict, JobVerdict::done);
  EXPECT_EQ(judge_trusted({.kind = Kind::lost, .died = 4}).verdict, JobVerdict::hosts_fault);
}

TEST(Verdict, BadInputIsTheSameEverywhere) {
  EXPECT_EQ(judge({.exit_code = 2}).verdict, JobVerdict::shards_fault);
  EXPECT_EQ(judge({.exit_code = 3}).verdict, JobVerdict::shards_fault);
}

TEST(Verdict, AFullDiskSetsTheDeviceAside) {
  for (const auto& end : {JobEnd{.kind = Kind::lost, .free_disk_kb = 10}, JobEnd{.exit_code = 5, .free_disk_kb = 10},
                          JobEnd{.kind = Kind::refused, .why = "tar: x: No space left on device"}}) {
    EXPECT_EQ(judge(end).verdict, JobVerdict::hosts_fault);
    EXPECT_TRUE(judge(end).sets_aside) << end.why;
  }
  EXPECT_EQ(judge({.exit_code = 0, .right = 1, .free_disk_kb = 10}).verdict, JobVerdict::done);
}

TEST(Verdict, AHostThatIsGoneIsSetAsideAndOneFailureIsForgiven) {
  EXPECT_TRUE(judge({.kind = Kind::silent}).sets_aside);
  EXPECT_TRUE(judge({.exit_code = 4}).sets_aside);
  for (const auto& end : {JobEnd{.exit_code = 5}, JobEnd{.exit_code = 124}, JobEnd{.exit_code = 137},
                          JobEnd{.kind = Kind::lost}, JobEnd{.kind = Kind::refused}}) {
    EXPECT_EQ(judge(end).verdict, JobVerdict::hosts_fault) << end.exit_code;
    EXPECT_FALSE(judge(end).sets_aside) << end.exit_code;
  }
}

}  // namespace
}  // namespace gemmtune
