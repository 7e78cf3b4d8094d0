#include "gemmtune/bench/plausible_times.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

/// 2 · 4096 · 4096 · 4096 operations take 1374.4 µs at 100 TFLOPS.
const Problem square = parse_problem("4096x4096x4096:bf16:bf16:bf16");

Roofline roofline() {
  Roofline known{.copy_gbps = 1000};
  known.peaks["bf16"] = {.tflops = 100, .problem = parse_problem("8192x8192x8192:bf16:bf16:bf16")};
  return known;
}

DeviceInfo device_of(DeviceKind kind) {
  DeviceInfo device{};
  device.kind = kind;
  device.last_level_cache_bytes = 32 << 20;
  return device;
}

/// Answers each candidate with the time that is its name.
class Clockwork final : public Evaluator {
 public:
  DeviceInfo device() override { return device_of(DeviceKind::cuda); }
  std::vector<FamilySupport> supports(const Problem&) override { return {}; }
  std::vector<Candidate> candidates(const Problem&) override { return {}; }
  void evaluate(const Problem&, std::span<const Candidate> candidates, const EvaluationPolicy& policy,
                EvaluationObserver& observer) override {
    for (const auto& candidate : candidates) {
      observer.started(candidate);
      Evaluation evaluation{.candidate = candidate, .stage = policy.stage};
      evaluation.timing.median_us = std::stod(candidate.name);
      evaluation.accuracy.checked = 1;
      observer.evaluated(evaluation);
    }
  }
};

struct Seen final : EvaluationObserver {
  std::vector<Evaluation> evaluations{};
  std::size_t starts{};
  void started(const Candidate&) override { ++starts; }
  void evaluated(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }
};

TEST(PlausibleTimes, FollowFromThePeakWithAMargin) {
  EXPECT_NEAR(shortest_plausible_us(roofline(), device_of(DeviceKind::cuda), square), 1374.4 / 2, 0.1);
  EXPECT_NEAR(shortest_plausible_us(roofline(), device_of(DeviceKind::cpu), square), 1374.4 / 4, 0.1);
}

TEST(PlausibleTimes, FollowFromWhatTheCachesCannotHold) {
  const auto thin = parse_problem("1x16384x16384:bf16:bf16:bf16");
  const double bytes = 2.0 * 16384 * 16384 + 2 * 2 * 16384 - (32 << 20);
  EXPECT_NEAR(shortest_plausible_us(roofline(), device_of(DeviceKind::cuda), thin), bytes / 1e6 / 2, 0.1);
}

TEST(PlausibleTimes, DoNotFollowFromAPeakOnASmallProblem) {
  auto known = roofline();
  known.peaks["bf16"].problem = parse_problem("64x64x64:bf16:bf16:bf16");
  known.copy_gbps = 0;
  EXPECT_EQ(shortest_plausible_us(known, device_of(DeviceKind::cuda), square), 0);
}

TEST(PlausibleTimes, AreAnyWhereNothingWasMeasured) {
  EXPECT_EQ(shortest_plausible_us({}, device_of(DeviceKind::cuda), square), 0);
  const auto other_types = parse_problem("64x64x64:f32:f32:f32");
  EXPECT_EQ(shortest_plausible_us(roofline(), device_of(DeviceKind::cuda), other_types), 0) << "it fits in the cache";
}

TEST(PlausibleTimes, AFasterOneIsAFaultAndNoWin) {
  const auto evaluator = with_plausible_times(std::make_unique<Clockwork>(), roofline());
  const std::vector<Candidate> candidates{{.family = "f", .name = "0.4"}, {.family = "f", .name = "700"}};
  Seen seen;
  evaluator->evaluate(square, candidates, confirm_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), 2U);
  EXPECT_EQ(seen.starts, 2U);
  EXPECT_EQ(seen.evaluations[0].outcome, Outcome::wrong_result);
  EXPECT_EQ(seen.evaluations[0].timing.median_us, 0);
  EXPECT_NE(seen.evaluations[0].reason.find("its time of 0.4 us is a fault"), std::string::npos);
  EXPECT_EQ(seen.evaluations[1].outcome, Outcome::ok);
  EXPECT_EQ(seen.evaluations[1].timing.median_us, 700);
}

TEST(PlausibleTimes, OfWarmOperandsAreNotHeldAgainstTheBandwidth) {
  const auto thin = parse_problem("1x16384x16384:bf16:bf16:bf16");
  auto policy = confirm_policy();
  policy.measure.cold_cache = false;
  const auto evaluator = with_plausible_times(std::make_unique<Clockwork>(), roofline());
  const std::vector<Candidate> candidates{{.family = "f", .name = "100"}};
  Seen seen;
  evaluator->evaluate(thin, candidates, policy, seen);
  EXPECT_EQ(seen.evaluations.front().outcome, Outcome::ok) << seen.evaluations.front().reason;
}

}  // namespace
}  // namespace gemmtune
