#include <gtest/gtest.h>

#include <algorithm>

#include "tests/evaluate/expected.h"

namespace gemmtune {
namespace {

EvaluationPolicy brief_policy() {
  auto policy = confirm_policy();
  policy.measure.max_samples = 24;
  policy.measure.max_sampling_s = 100;  // however slow a sanitizer on a busy machine is
  policy.measure.target_dispersion = 0;
  return policy;
}

std::vector<Candidate> named(const std::vector<std::string>& faults) {
  std::vector<Candidate> candidates;
  for (const auto& fault : faults) candidates.push_back(broken::candidate(fault));
  return candidates;
}

class Confirming : public OnEachProblem {};

TEST_P(Confirming, TheRightOnesAreOkAndKeepTheirSamples) {
  auto evaluator = broken_evaluator();
  const auto candidates = named({"right", "right_slow"});
  Remembered seen;
  evaluator.evaluate(parse_problem(GetParam()), candidates, brief_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), 2u);
  for (const auto& evaluation : seen.evaluations) {
    EXPECT_EQ(evaluation.outcome, Outcome::ok) << evaluation.reason;
    EXPECT_EQ(evaluation.stage, Stage::confirm);
    EXPECT_EQ(evaluation.timing.sample_count, 24);
    EXPECT_EQ(evaluation.timing.samples_us.size(), 24u);
    EXPECT_GT(evaluation.cost.kernel_s, 0);
  }
  EXPECT_GT(seen.evaluations[1].timing.median_us, 1.5 * seen.evaluations[0].timing.median_us);
}

TEST_P(Confirming, EachFaultIsCaughtAndNamed) {
  for (const auto& expected : faults())
    expect_outcome(evaluate_fault(GetParam(), expected.fault, brief_policy()), expected);
}

TEST_P(Confirming, AmongOthersEachIsReportedOnceAndNoneIsBlamedForAnother) {
  auto evaluator = broken_evaluator();
  std::vector<Candidate> candidates{broken::candidate("right")};
  for (const auto& fault : faults()) candidates.push_back(broken::candidate(fault.fault));
  candidates.push_back(broken::candidate("right_slow"));
  Remembered seen;
  evaluator.evaluate(parse_problem(GetParam()), candidates, brief_policy(), seen);
  std::vector<std::string> reported;
  for (const auto& evaluation : seen.evaluations) {
    const auto& name = evaluation.candidate.name;
    reported.push_back(name);
    EXPECT_EQ(evaluation.outcome == Outcome::ok, name.starts_with("right")) << name << ": " << evaluation.reason;
  }
  std::vector<std::string> asked;
  for (const auto& candidate : candidates) asked.push_back(candidate.name);
  std::sort(reported.begin(), reported.end());
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(reported, asked);
}

INSTANTIATE_TEST_SUITE_P(Problems, Confirming, each_problem(), problem_name);

constexpr const char* small = "33x47x130:f32:f32:f32";

TEST(ConfirmingAgain, WhatTurnsWrongAfterTheFirstLaunchIsCaughtWithoutRotationToo) {
  auto policy = brief_policy();
  policy.measure.cold_cache = false;
  expect_outcome(evaluate_fault(small, "wrong_after_first", policy), {"wrong_after_first", Outcome::wrong_result, ""});
}

/// It may be what users have today, which the others are to be compared with.
TEST(ConfirmingWrong, WhatIsMerelyInaccurateIsTimedBesideTheOthers) {
  auto evaluator = broken_evaluator();
  const auto candidates = named({"right", "k_tail", "one_element"});
  Remembered seen;
  evaluator.evaluate(parse_problem(small), candidates, brief_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), 3u);
  for (const auto& evaluation : seen.evaluations) {
    const auto& name = evaluation.candidate.name;
    EXPECT_EQ(evaluation.timing.sample_count, 24) << name;
    EXPECT_EQ(evaluation.outcome, name == "right" ? Outcome::ok : Outcome::wrong_result) << name;
    EXPECT_EQ(is_merely_inaccurate(evaluation), name != "right") << name;
    EXPECT_EQ(evaluation.reason.empty(), name == "right") << name;
  }
}

TEST(ConfirmingWrong, WhatDoesNotDoTheWorkOrDoesHarmIsNotTimed) {
  for (const auto* fault : {"unwritten_tile", "writes_after_end", "writes_input", "workspace_overrun"}) {
    const auto evaluation = evaluate_fault(small, fault, brief_policy());
    EXPECT_EQ(evaluation.outcome, Outcome::wrong_result) << fault;
    EXPECT_EQ(evaluation.timing.sample_count, 0) << fault;
  }
}

TEST(ConfirmingBlame, EveryLaunchIsAnnouncedBeforeItRuns) {
  auto evaluator = broken_evaluator();
  const auto candidates = named({"right", "right_slow"});
  Remembered seen;
  evaluator.evaluate(parse_problem(small), candidates, brief_policy(), seen);
  // To be prepared, to be checked, in turns of at most 8 samples, to be checked again.
  EXPECT_GE(seen.starts.size(), 2u + 2u + 2u * 3u + 2u);
  EXPECT_EQ(seen.starts.back().name, "right_slow");
}

TEST(ConfirmingMemory, WhatDoesNotFitTogetherIsConfirmedInGroups) {
  auto info = open_device("cpu")->info();
  info.last_level_cache_bytes = 128 * 1024;
  info.memory_bytes = 4 << 20;
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  LocalEvaluator evaluator(make_cpu_device(info), std::move(families));
  const auto candidates = named({"right", "right", "right_slow", "right"});
  Remembered seen;
  // Packed to f32 the weights of a set take 512 KiB: two candidates fit into a third of 4 MiB, all four do not.
  evaluator.evaluate(parse_problem("16x256x512:e2m1/1x32:e2m1/1x32:bf16:packed"), candidates, brief_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), 4u);
  for (const auto& evaluation : seen.evaluations) EXPECT_EQ(evaluation.outcome, Outcome::ok) << evaluation.reason;
}

}  // namespace
}  // namespace gemmtune
