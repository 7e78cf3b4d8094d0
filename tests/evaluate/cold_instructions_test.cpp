// Whether a policy's wish for cold instructions reaches the device's timer.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/evaluate/fixture.h"
#include "tests/support/forwarding_device.h"

namespace gemmtune {
namespace {

/// Times on the CPU, which has no cold instructions, and remembers what was asked for.
class NotingTimer final : public Timer {
 public:
  NotingTimer(Timer& inner, std::vector<bool>& asked_for) : inner_(inner), asked_for_(asked_for) {}

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override {
    asked_for_.push_back(launch.cold_instructions);
    return inner_.time_us({.run = launch.run, .period = launch.period}, first, count);
  }

 private:
  Timer& inner_;
  std::vector<bool>& asked_for_;
};

class NotingDevice final : public ForwardingDevice {
 public:
  explicit NotingDevice(std::vector<bool>& asked_for)
      : ForwardingDevice(small_cpu()), timer_(ForwardingDevice::timer(), asked_for) {}

  Timer& timer() override { return timer_; }

 private:
  NotingTimer timer_;
};

std::vector<bool> asked_for(LocalEvaluator& evaluator, std::vector<bool>& asked, EvaluationPolicy policy, bool cold) {
  asked.clear();
  policy.measure.cold_instructions = cold;
  Remembered seen;
  const std::vector candidates{broken::candidate("right"), broken::candidate("right_slow")};
  evaluator.evaluate(parse_problem("33x47x130:f32:f32:f32"), candidates, policy, seen);
  for (const auto& evaluation : seen.evaluations) EXPECT_EQ(evaluation.outcome, Outcome::ok) << evaluation.reason;
  return asked;
}

TEST(ColdInstructions, AreAskedForWithEveryLaunchThatIsTimed) {
  std::vector<bool> asked;
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  LocalEvaluator evaluator(std::make_unique<NotingDevice>(asked), std::move(families));
  for (const auto& policy : {screen_policy(), with_samples(confirm_policy(), 8)})
    for (const bool cold : {false, true}) {
      const auto seen = asked_for(evaluator, asked, policy, cold);
      EXPECT_GE(seen.size(), 2U);
      EXPECT_EQ(std::ranges::count(seen, cold), std::ssize(seen)) << to_string(policy.stage) << ' ' << cold;
    }
}

TEST(ColdInstructions, FailTheCandidateWithTheReasonWhereThereAreNone) {
  auto evaluator = broken_evaluator();
  for (auto policy : {screen_policy(), with_samples(confirm_policy(), 8)}) {
    policy.measure.cold_instructions = true;
    Remembered seen;
    const std::vector candidates{broken::candidate("right")};
    evaluator.evaluate(parse_problem("33x47x130:f32:f32:f32"), candidates, policy, seen);
    ASSERT_EQ(seen.evaluations.size(), 1U);
    EXPECT_EQ(seen.evaluations[0].outcome, Outcome::launch_failed);
    EXPECT_EQ(seen.evaluations[0].reason, why_not_cold_instructions(DeviceKind::cpu));
  }
}

}  // namespace
}  // namespace gemmtune
