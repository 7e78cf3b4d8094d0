#include <gtest/gtest.h>

#include <limits>

#include "gemmtune/evaluate/stress.h"
#include "tests/evaluate/cheats.h"
#include "tests/evaluate/fixture.h"

namespace gemmtune {
namespace {

LocalEvaluator stressing_evaluator(std::int64_t launches) {
  Families families;
  families.push_back(broken::make_family());
  return {small_cpu(), std::move(families),
          [=](const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer) {
            stress(bench, request, {.launches = launches}, observer);
          }};
}

std::vector<Evaluation> stressed(const std::vector<std::string>& faults, std::int64_t launches = 30) {
  std::vector<Candidate> candidates;
  for (const auto& fault : faults) candidates.push_back(broken::candidate(fault));
  Remembered seen;
  auto evaluator = stressing_evaluator(launches);
  evaluator.evaluate(parse_problem("33x47x130:f32:f32:f32"), candidates, prove_policy(), seen);
  EXPECT_EQ(seen.starts, candidates);
  return seen.evaluations;
}

TEST(Stress, RightCandidatesPassBesideEachOther) {
  for (const auto& evaluation : stressed({"right", "right"})) {
    EXPECT_EQ(evaluation.outcome, Outcome::ok) << evaluation.reason;
    EXPECT_EQ(evaluation.reason, "");
  }
}

TEST(Stress, OutputsThatNoLaunchWroteAreNotCompared) {
  for (const std::int64_t launches : {1, 2, 9}) EXPECT_EQ(stressed({"right"}, launches).front().reason, "") << launches;
}

TEST(Stress, AFaultOfLaterLaunchesIsFoundAndTheWayOfLaunchingNamed) {
  const auto seen = stressed({"wrong_after_first"}).front();
  EXPECT_EQ(seen.outcome, Outcome::wrong_result);
  EXPECT_TRUE(seen.reason.starts_with("launches queued: ")) << seen.reason;
}

TEST(Stress, WhatTuningFindsIsFoundHereToo) {
  EXPECT_EQ(stressed({"one_element"}).front().outcome, Outcome::wrong_result);
  EXPECT_NE(stressed({"writes_after_end"}).front().outcome, Outcome::ok);
  EXPECT_EQ(stressed({"prepare_refuses"}).front().outcome, Outcome::unsupported);
}

std::int64_t launches_within(const StressPolicy& policy) {
  const auto launches = std::make_shared<std::atomic<std::int64_t>>();
  Families families;
  families.push_back(std::make_unique<cheats::Family>(launches));
  LocalEvaluator evaluator(small_cpu(), std::move(families),
                           [=](const Workbench& bench, const EvaluationRequest& request, EvaluationObserver& observer) {
                             stress(bench, request, policy, observer);
                           });
  Remembered seen;
  const std::vector candidates{cheats::candidate("honest")};
  evaluator.evaluate(parse_problem("33x47x130:f32:f32:f32"), candidates, prove_policy(), seen);
  EXPECT_EQ(seen.evaluations.front().outcome, Outcome::ok) << seen.evaluations.front().reason;
  return *launches;
}

TEST(Stress, MakesAllLaunchesOrEndsInTime) {
  // The timer repeats a launch in which the process had to wait.
  constexpr std::int64_t repeated = 20;
  for (const double most_s : {std::numeric_limits<double>::infinity(), 1e6}) {
    const auto launches = launches_within({.launches = 200, .most_s = most_s});
    EXPECT_GE(launches, 1 + 200);
    EXPECT_LE(launches, 1 + 200 + repeated);
  }
  EXPECT_EQ(launches_within({.launches = 200, .most_s = 0}), 1 + 4);
}

/// The checks of a proof alone make less than twenty.
TEST(Stress, IsPartOfTheProof) {
  const auto launches = std::make_shared<std::atomic<std::int64_t>>();
  Families families;
  families.push_back(std::make_unique<cheats::Family>(launches));
  LocalEvaluator evaluator(small_cpu(), std::move(families));
  Remembered seen;
  const std::vector candidates{cheats::candidate("honest")};
  evaluator.evaluate(parse_problem("33x47x130:f32:f32:f32"), candidates, prove_policy(), seen);
  EXPECT_EQ(seen.evaluations.front().outcome, Outcome::ok) << seen.evaluations.front().reason;
  EXPECT_GE(*launches, 20);  // 200 where the machine is not too slow
  EXPECT_EQ(proof_stress(open_device("cpu")->info()).launches, 200);
}

TEST(Stress, TheCandidateAfterAFailedOnePasses) {
  const auto seen = stressed({"writes_after_end", "wrong_after_first", "right"});
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen.back().outcome, Outcome::ok) << seen.back().reason;
}

}  // namespace
}  // namespace gemmtune
