#include "gemmtune/evaluate/local_evaluator.h"

#include <gtest/gtest.h>

#include <thread>

#include "gemmtune/core/clock.h"
#include "gemmtune/core/error.h"
#include "gemmtune/verify/closeness.h"
#include "tests/evaluate/expected.h"
#include "tests/support/forwarding_device.h"

namespace gemmtune {
namespace {

constexpr const char* small = "33x47x130:f32:f32:f32";

/// Cannot answer anything.
class SpeechlessFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "speechless"; }
  std::string version() const override { return "0"; }
  std::string why_not(const Problem&, const DeviceInfo&) const override { fail(ErrorCode::io, "no library"); }
  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override { return {}; }
  std::unique_ptr<PreparedGemm> make(const Problem&, const Candidate&, const DeviceInfo&) const override {
    return nullptr;
  }
};

/// Packs its weights whether it may or not.
class PackingGemm final : public PreparedGemm {
 public:
  std::size_t packed_weight_bytes() const override { return 64; }
  void launch(const Operands&, Stream&) noexcept override {}
};

class PackingFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "packing"; }
  std::string version() const override { return "1"; }
  std::string why_not(const Problem&, const DeviceInfo&) const override { return {}; }
  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override {
    return {{.family = "packing", .name = "only"}};
  }
  std::unique_ptr<PreparedGemm> make(const Problem&, const Candidate&, const DeviceInfo&) const override {
    return std::make_unique<PackingGemm>();
  }
};

std::vector<std::unique_ptr<KernelFamily>> mixed_families() {
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family({"right", "one_tile"}));
  families.push_back(std::make_unique<SpeechlessFamily>());
  families.push_back(std::make_unique<PackingFamily>());
  return families;
}

/// What runs where nothing else does.
class LastResortFamily final : public KernelFamily {
 public:
  std::string_view name() const override { return "a_last_resort"; }
  std::string version() const override { return "1"; }
  std::string why_not(const Problem&, const DeviceInfo&) const override { return {}; }
  DefaultRank default_rank(const Problem&) const override { return DefaultRank::last_resort; }
  std::vector<Candidate> candidates(const Problem&, const DeviceInfo&) const override {
    return {{.family = "a_last_resort", .name = "slow"}};
  }
  std::unique_ptr<PreparedGemm> make(const Problem&, const Candidate&, const DeviceInfo&) const override {
    return nullptr;
  }
};

TEST(LocalEvaluatorsList, EndsWithLastResorts) {
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(std::make_unique<LastResortFamily>());
  families.push_back(std::make_unique<PackingFamily>());
  LocalEvaluator evaluator{small_cpu(), std::move(families)};
  const auto all = evaluator.candidates(parse_problem(small));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "only");
  EXPECT_EQ(all[1].name, "slow");
}

class LocalEvaluatorTest : public testing::Test {
 protected:
  LocalEvaluator evaluator_{small_cpu(), mixed_families()};
};

TEST_F(LocalEvaluatorTest, TheDeviceNamesTheFamiliesVersions) {
  const auto info = evaluator_.device();
  EXPECT_EQ(info.libraries.at("broken"), "1");
  EXPECT_EQ(info.libraries.at("packing"), "1");
  EXPECT_EQ(info.kind, DeviceKind::cpu);
}

TEST_F(LocalEvaluatorTest, SupportSaysHowManyOrWhyNot) {
  const std::vector<FamilySupport> expected{
      {.family = "broken", .version = "1", .candidate_count = 2},
      {.family = "speechless", .version = "0", .why_not = "no library"},
      {.family = "packing", .version = "1", .candidate_count = 1},
  };
  EXPECT_EQ(evaluator_.supports(parse_problem(small)), expected);
}

TEST_F(LocalEvaluatorTest, CandidatesAreThoseOfTheFamiliesThatApply) {
  std::vector<std::string> names;
  for (const auto& candidate : evaluator_.candidates(parse_problem(small))) names.push_back(candidate.name);
  EXPECT_EQ(names, (std::vector<std::string>{"right", "one_tile", "only"}));
}

TEST_F(LocalEvaluatorTest, NobodyAppliesToAnInvalidProblem) {
  auto problem = parse_problem(small);
  problem.k = 0;
  EXPECT_TRUE(evaluator_.candidates(problem).empty());
  for (const auto& support : evaluator_.supports(problem)) EXPECT_NE(support.why_not, "");
  Remembered seen;
  evaluator_.evaluate(problem, std::vector{broken::candidate("right")}, screen_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), 1u);
  EXPECT_EQ(seen.evaluations[0].outcome, Outcome::unsupported);
  EXPECT_NE(seen.evaluations[0].reason, "");
}

TEST_F(LocalEvaluatorTest, UnknownNamesAreUnsupportedAtEveryStage) {
  const std::vector<Candidate> candidates{{.family = "nobody", .name = "x"}, {.family = "broken", .name = "x"}};
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()}) {
    Remembered seen;
    evaluator_.evaluate(parse_problem(small), candidates, policy, seen);
    ASSERT_EQ(seen.evaluations.size(), 2u);
    EXPECT_EQ(seen.evaluations[0].outcome, Outcome::unsupported);
    EXPECT_EQ(seen.evaluations[0].reason, "this build has no family \"nobody\"");
    EXPECT_EQ(seen.evaluations[1].outcome, Outcome::unsupported);
    EXPECT_EQ(seen.evaluations[1].reason, "no fault is named x");
  }
}

TEST_F(LocalEvaluatorTest, WeightsThatMayNotBePackedAreNotPacked) {
  Remembered seen;
  evaluator_.evaluate(parse_problem(small), std::vector<Candidate>{{.family = "packing", .name = "only"}},
                      screen_policy(), seen);
  ASSERT_EQ(seen.evaluations.size(), 1u);
  EXPECT_EQ(seen.evaluations[0].outcome, Outcome::compile_failed);
}

TEST_F(LocalEvaluatorTest, NoCandidatesNoReports) {
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()}) {
    Remembered seen;
    evaluator_.evaluate(parse_problem(small), {}, policy, seen);
    EXPECT_TRUE(seen.evaluations.empty());
  }
}

/// Interrupts at the given start.
struct Interrupting final : EvaluationObserver {
  Interrupting(Evaluator& of, int starts) : evaluator(of), starts_left(starts) {}

  void started(const Candidate&) override {
    if (--starts_left == 0) evaluator.interrupt();
  }
  void evaluated(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }

  Evaluator& evaluator;
  int starts_left;
  std::vector<Evaluation> evaluations{};
};

TEST(LocalEvaluatorInterrupt, EndsSoonReportsNothingHalfDoneAndServesTheNext) {
  auto evaluator = broken_evaluator();
  const std::vector candidates(6, broken::candidate("right"));
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()})
    for (const int start : {1, 8, 14}) {  // with 6 candidates: while preparing, checking, and timing in turn
      Interrupting observer(evaluator, start);
      evaluator.evaluate(parse_problem(small), candidates, policy, observer);
      if (policy.stage == Stage::screen) {
        EXPECT_EQ(observer.evaluations.size(), start == 1 ? 1u : 6u) << "the running one is finished";
      } else {
        EXPECT_TRUE(observer.evaluations.empty()) << to_string(policy.stage) << " at start " << start;
      }
      Remembered seen;
      evaluator.evaluate(parse_problem(small), std::span(candidates).first(1), policy, seen);
      EXPECT_EQ(seen.evaluations.size(), 1u) << to_string(policy.stage);
    }
}

// The evaluator's own time must be seen, or it cannot be kept small.
TEST(LocalEvaluatorCost, ExplainsTheWallTimeOfEveryStage) {
  auto evaluator = broken_evaluator();
  const std::vector candidates{broken::candidate("right"), broken::candidate("one_tile"),
                               broken::candidate("right_slow")};
  for (const char* text : {"64x256x512:f32:f32:f32", "64x256x512:e2m1/1x32:e2m1/1x32:bf16:packed"}) {
    for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()}) {
      Remembered seen;
      const auto start = SteadyClock::now();
      evaluator.evaluate(parse_problem(text), candidates, policy, seen);
      const double wall_s = seconds_since(start);
      double explained_s = 0;
      for (const auto& evaluation : seen.evaluations) explained_s += evaluation.cost.total();
      EXPECT_GE(explained_s, 0.9 * wall_s) << text << " " << to_string(policy.stage);
      EXPECT_LE(explained_s, wall_s) << "nothing is counted twice: " << text << " " << to_string(policy.stage);
    }
  }
}

TEST(LostDevice, EndsTheEvaluationWithTheCulpritReported) {
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()}) {
    SCOPED_TRACE(to_string(policy.stage));
    std::vector<std::unique_ptr<KernelFamily>> families;
    families.push_back(broken::make_family());
    LocalEvaluator evaluator(std::make_unique<FragileDevice>(small_cpu()), std::move(families));
    const std::vector candidates{broken::candidate("one_element"), broken::candidate("reports_failure"),
                                 broken::candidate("right")};
    Remembered seen;
    EXPECT_THROW(evaluator.evaluate(parse_problem(small), candidates, policy, seen), DeviceLost);
    ASSERT_FALSE(seen.evaluations.empty());
    const auto& culprit = seen.evaluations.back();
    EXPECT_EQ(culprit.candidate.name, "reports_failure");
    EXPECT_EQ(culprit.outcome, Outcome::launch_failed);
    EXPECT_NE(culprit.reason.find("planted failure"), std::string::npos) << culprit.reason;
    for (const auto& evaluation : seen.evaluations) EXPECT_NE(evaluation.candidate.name, "right");
  }
}

/// Is lost, and notices it, when the first guard is read after a C was poisoned to be written.
class UnreadableDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  void fill(std::byte* to, std::size_t bytes, std::uint16_t pattern) override {
    lost_ = lost_ || (pattern & 0x7fc0) == 0x7fc0;  // as all poison has it
    ForwardingDevice::fill(to, bytes, pattern);
  }
  void download(const std::byte* from, std::span<std::byte> to) override {
    if (lost_) fail(ErrorCode::io, "an address was not aligned");
    ForwardingDevice::download(from, to);
  }
  bool lost() override { return lost_; }

 private:
  bool lost_{};
};

TEST(LostDevice, IsNoticedByWhoeverInspectsWhatAKernelLeft) {
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family());
  LocalEvaluator evaluator(std::make_unique<UnreadableDevice>(small_cpu()), std::move(families));
  const std::vector candidates{broken::candidate("right"), broken::candidate("right_slow")};
  Remembered seen;
  EXPECT_THROW(evaluator.evaluate(parse_problem(small), candidates, screen_policy(), seen), DeviceLost);
  ASSERT_EQ(seen.evaluations.size(), 1U);
  EXPECT_EQ(seen.evaluations[0].candidate.name, "right");
  EXPECT_EQ(seen.evaluations[0].reason, "an address was not aligned");
}

}  // namespace
}  // namespace gemmtune
