#include <gtest/gtest.h>

#include "tests/evaluate/expected.h"
#include "tests/support/forwarding_device.h"

namespace gemmtune {
namespace {

class Screening : public OnEachProblem {};

TEST_P(Screening, TheRightOneIsOkWithPlausibleNumbers) {
  const auto problem = parse_problem(GetParam());
  const auto seen = evaluate_fault(GetParam(), "right", screen_policy());
  EXPECT_EQ(seen.outcome, Outcome::ok) << seen.reason;
  EXPECT_EQ(seen.reason, "");
  EXPECT_EQ(seen.stage, Stage::screen);
  EXPECT_GE(seen.timing.sample_count, 3);
  EXPECT_LE(seen.timing.sample_count, 10);
  EXPECT_TRUE(seen.timing.samples_us.empty());
  EXPECT_GT(seen.timing.min_us, 0);
  EXPECT_LE(seen.timing.min_us, seen.timing.median_us);
  EXPECT_LE(seen.timing.low_us, seen.timing.median_us);
  EXPECT_GE(seen.timing.high_us, seen.timing.median_us);
  EXPECT_EQ(seen.accuracy.checked, problem.batch * problem.m * problem.n);
  EXPECT_EQ(seen.accuracy.unwritten, 0);
  EXPECT_LE(seen.accuracy.worst_share_of_bound, 1);
  EXPECT_LE(seen.accuracy.err_ratio, 0.05);
  EXPECT_TRUE(seen.accuracy.guards_intact);
}

TEST_P(Screening, PackedWeightsAreAccountedFor) {
  const auto problem = parse_problem(GetParam());
  const auto timing = evaluate_fault(GetParam(), "right", screen_policy()).timing;
  EXPECT_EQ(timing.packed_bytes, problem.packed ? problem.batch * problem.n * problem.k * 4 : 0);
  EXPECT_EQ(timing.pack_us > 0, problem.packed);
}

TEST_P(Screening, EachFaultIsCaughtAndNamed) {
  for (const auto& expected : faults())
    expect_outcome(evaluate_fault(GetParam(), expected.fault, screen_policy()), expected);
}

TEST_P(Screening, GuardsAreReportedInTheAccuracyToo) {
  EXPECT_FALSE(evaluate_fault(GetParam(), "writes_after_end", screen_policy()).accuracy.guards_intact);
}

// Each fault may spoil what candidates share: operands, guards. None may spoil it for the next.
TEST_P(Screening, NoFaultIsBlamedOnAnother) {
  auto evaluator = broken_evaluator();
  std::vector<Candidate> candidates;
  for (const auto& fault : faults()) {
    candidates.push_back(broken::candidate(fault.fault));
    candidates.push_back(broken::candidate("right"));
  }
  Remembered seen;
  evaluator.evaluate(parse_problem(GetParam()), candidates, screen_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), candidates.size());
  EXPECT_EQ(seen.starts, candidates) << "each is announced, once";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_EQ(seen.evaluations[i].candidate, candidates[i]);
    const bool right = candidates[i].name == "right";
    EXPECT_EQ(seen.evaluations[i].outcome == Outcome::ok, right)
        << candidates[i].name << " after " << candidates[i - right].name << ": " << seen.evaluations[i].reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, Screening, each_problem(), problem_name);

constexpr const char* small = "33x47x130:f32:f32:f32";

TEST(ScreeningRotation, AHotCacheUsesOneSetAndTimedLaunchesAreJudgedStill) {
  auto policy = screen_policy();
  policy.measure.cold_cache = false;
  EXPECT_EQ(evaluate_fault(small, "right", policy).outcome, Outcome::ok);
  // One launch is checked and it is right; later ones are only timed.
  EXPECT_EQ(evaluate_fault(small, "wrong_after_first", policy).outcome, Outcome::wrong_result);
}

/// What a launch takes is set from outside, so that no load on the machine decides a race.
struct Pace {
  double launch_us{};
};

class PacedTimer final : public Timer {
 public:
  explicit PacedTimer(const Pace& pace) : pace_(pace) {}

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override {
    for (std::int64_t i = first; i < first + count; ++i) launch(i);
    return std::vector<double>(static_cast<std::size_t>(count), pace_.launch_us);
  }

 private:
  const Pace& pace_;
};

class PacedDevice final : public ForwardingDevice {
 public:
  explicit PacedDevice(const Pace& pace) : ForwardingDevice(small_cpu()), timer_(pace) {}

  Timer& timer() override { return timer_; }
  ClockReading read_clock() override { return {.clock_mhz = 2000, .throttled = true}; }

 private:
  PacedTimer timer_;
};

struct PacedObserver final : EvaluationObserver {
  explicit PacedObserver(Pace& of, std::string slow_one = "right_slow") : pace(of), slow(std::move(slow_one)) {}

  void started(const Candidate& candidate) override { pace.launch_us = candidate.name == slow ? 300 : 100; }
  void evaluated(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }

  Pace& pace;
  std::string slow{};
  std::vector<Evaluation> evaluations{};
};

TEST(ScreeningRace, WhatTimedLaunchesLeaveIsJudgedOfSlowOnesToo) {
  Pace pace;
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  LocalEvaluator evaluator(std::make_unique<PacedDevice>(pace), std::move(families));
  const auto second_outcome = [&](const std::string& slow) {
    PacedObserver seen(pace, slow);
    evaluator.evaluate(parse_problem(small),
                       std::vector{broken::candidate("right"), broken::candidate("wrong_after_first")}, screen_policy(),
                       seen);
    return seen.evaluations[1].outcome;
  };
  EXPECT_EQ(second_outcome("nobody"), Outcome::wrong_result);
  EXPECT_EQ(second_outcome("wrong_after_first"), Outcome::wrong_result);
}

TEST(ScreeningRace, WhoIsFarBehindTheBestIsSampledLeast) {
  Pace pace;
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  LocalEvaluator evaluator(std::make_unique<PacedDevice>(pace), std::move(families));
  auto policy = screen_policy();
  policy.measure = {.warmup = 1, .min_samples = 3, .max_samples = 40, .max_sampling_s = 100, .target_dispersion = 0};
  const std::vector candidates{broken::candidate("right"), broken::candidate("right_slow"), broken::candidate("right")};
  PacedObserver seen(pace);
  evaluator.evaluate(parse_problem(small), candidates, policy, seen);
  EXPECT_EQ(seen.evaluations[0].timing.sample_count, 40);
  EXPECT_EQ(seen.evaluations[1].timing.sample_count, 4) << "two turns of two: min_samples, rounded up";
  EXPECT_EQ(seen.evaluations[2].timing.sample_count, 40);
  EXPECT_EQ(seen.evaluations[1].timing.median_us, 300);
  EXPECT_EQ(seen.evaluations[1].timing.clock_mhz, 2000);
  EXPECT_TRUE(seen.evaluations[1].timing.throttled);
}

TEST(ScreeningCost, OnlyTheFirstPaysForOperandsAndReference) {
  auto evaluator = broken_evaluator();
  const std::vector candidates{broken::candidate("right"), broken::candidate("right")};
  Remembered seen;
  evaluator.evaluate(parse_problem(small), candidates, screen_policy(), seen);
  EXPECT_GT(seen.evaluations[0].cost.reference_s, 0);
  EXPECT_EQ(seen.evaluations[1].cost.reference_s, 0);
  Remembered later;
  evaluator.evaluate(parse_problem(small), candidates, confirm_policy(), later);
  EXPECT_EQ(later.evaluations[0].cost.reference_s, 0) << "the same operands serve the next stage";
}

}  // namespace
}  // namespace gemmtune
