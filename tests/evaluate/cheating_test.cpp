// Kernels that behave when they are checked, and only then, are found.
#include <gtest/gtest.h>

#include "tests/evaluate/cheats.h"
#include "tests/evaluate/fixture.h"
#include "tests/support/forwarding_device.h"

namespace gemmtune {
namespace {

constexpr const char* problem_text = "33x47x130:f32:f32:f32";

EvaluationPolicy brief(EvaluationPolicy policy) {
  policy.measure.max_samples = std::min<std::int64_t>(policy.measure.max_samples, 24);
  policy.measure.max_sampling_s = 100;  // however slow a sanitizer on a busy machine is
  policy.measure.target_dispersion = 0;
  return policy;
}

/// A CPU of whose operands many sets make a rotation.
std::unique_ptr<Device> cpu_of_many_sets() {
  auto info = open_device("cpu")->info();
  info.last_level_cache_bytes = 1 << 20;
  return make_cpu_device(std::move(info));
}

Evaluation evaluated_on(std::unique_ptr<Device> device, const std::string& cheat, const EvaluationPolicy& policy) {
  Families families;
  families.push_back(std::make_unique<cheats::Family>());
  LocalEvaluator evaluator(std::move(device), std::move(families));
  Remembered seen;
  const std::vector candidates{cheats::candidate(cheat)};
  evaluator.evaluate(parse_problem(problem_text), candidates, policy, seen);
  EXPECT_EQ(seen.evaluations.size(), 1U);
  return seen.evaluations.empty() ? Evaluation{} : seen.evaluations.front();
}

Evaluation evaluated(const std::string& cheat, const EvaluationPolicy& policy) {
  return evaluated_on(small_cpu(), cheat, policy);
}

void expect_wrong(const Evaluation& found, const std::string& reason) {
  EXPECT_EQ(to_string(found.outcome), "wrong_result") << found.candidate.name << " " << found.reason;
  EXPECT_NE(found.reason.find(reason), std::string::npos) << found.candidate.name << ": " << found.reason;
}

TEST(Cheating, TheHonestOnePassesEveryStage) {
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()})
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      auto seeded = brief(policy);
      seeded.seed = seed;
      const auto found = evaluated_on(cpu_of_many_sets(), "honest", seeded);
      EXPECT_EQ(found.outcome, Outcome::ok) << found.reason;
      EXPECT_EQ(found.reason, "");
    }
}

TEST(Cheating, WhatCachesOperandsByTheirAddressIsFound) {
  for (const auto* cheat : {"caches_a", "caches_w"}) {
    expect_wrong(evaluated(cheat, brief(confirm_policy())), "further off");
    expect_wrong(evaluated(cheat, prove_policy()), "further off");
  }
}

TEST(Cheating, WhatCachesOperandsIsFoundByWhatTimedLaunchesLeave) {
  expect_wrong(evaluated("caches_a", brief(confirm_policy())), "after timed launches: ");
}

TEST(Cheating, WeightsChangeInPlaceToo) {
  expect_wrong(evaluated("caches_w", brief(confirm_policy())), "after the sign of the weights changed in place: ");
}

TEST(Cheating, WhatKnowsThePoisonIsFound) {
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()})
    expect_wrong(evaluated("knows_the_usual_poison", brief(policy)), "");
  for (const auto* cheat : {"zeros_over_numbers", "computes_over_nans_only"})
    for (const auto& policy : {confirm_policy(), prove_policy()}) expect_wrong(evaluated(cheat, brief(policy)), "");
}

TEST(Cheating, WhatComputesOnceForEachOutputIsFoundWhereRotationIsOffToo) {
  auto policy = brief(confirm_policy());
  policy.measure.cold_cache = false;
  for (const auto* cheat : {"zeros_over_numbers", "computes_over_nans_only", "caches_a"})
    expect_wrong(evaluated(cheat, policy), "");
}

TEST(Cheating, WhatIsRightOnTheFirstOutputsThatAreCheckedIsFound) {
  expect_wrong(evaluated_on(cpu_of_many_sets(), "right_on_eight_outputs", brief(confirm_policy())), "");
}

TEST(Cheating, WhatTurnsWrongAfterManyLaunchesIsFoundByTheProof) {
  for (const auto* cheat : {"skips_after_60", "wrong_after_60"})
    expect_wrong(evaluated(cheat, prove_policy()), "gaussian: launches ");
}

TEST(Cheating, TimesOfLaunchesThatDidNotDoTheWorkAreNotKept) {
  const auto found = evaluated("computes_over_nans_only", brief(confirm_policy()));
  EXPECT_EQ(found.timing.sample_count, 0);
  EXPECT_EQ(found.timing.median_us, 0);
}

TEST(Cheating, OthersAreNotBlamed) {
  Families families;
  families.push_back(std::make_unique<cheats::Family>());
  LocalEvaluator evaluator(cpu_of_many_sets(), std::move(families));
  Remembered seen;
  std::vector<Candidate> candidates;
  for (const auto* cheat : {"honest", "caches_a", "zeros_over_numbers", "honest", "computes_over_nans_only", "honest"})
    candidates.push_back(cheats::candidate(cheat));
  evaluator.evaluate(parse_problem(problem_text), candidates, brief(confirm_policy()), seen);
  ASSERT_EQ(seen.evaluations.size(), candidates.size());
  for (const auto& evaluation : seen.evaluations)
    EXPECT_EQ(evaluation.outcome == Outcome::ok, evaluation.candidate.name == "honest")
        << evaluation.candidate.name << ": " << evaluation.reason;
}

TEST(CheatingDeathTest, AWriteFarBehindTheOutputEndsTheProcessOnACpu) {
  EXPECT_DEATH(evaluated("writes_a_tile_too_far", screen_policy()), "");
}

/// Does not fence what it allocates, as GPUs do not.
TEST(Cheating, AWriteFarBehindTheOutputBreaksAGuardElsewhere) {
  const auto found =
      evaluated_on(std::make_unique<ForwardingDevice>(small_cpu()), "writes_a_tile_too_far", screen_policy());
  expect_wrong(found, "wrote out of bounds: C: byte 18801 after the end");
}

}  // namespace
}  // namespace gemmtune
