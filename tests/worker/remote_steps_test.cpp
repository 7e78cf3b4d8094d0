// Timing in turns across worker processes whose kernels are right, wrong and deadly (test_worker.cpp).
#include "gemmtune/worker/remote_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "gemmtune/worker/product_audit.h"
#include "gemmtune/worker/remote_evaluator.h"
#include "gemmtune/worker/turns_across.h"
#include "tests/evaluate/fixture.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

const Problem some_problem = parse_problem("33x47x130:f32:f32:f32");

EvaluationPolicy brief_policy() {
  auto policy = confirm_policy();
  policy.measure.max_samples = 16;
  policy.measure.max_sampling_s = 100;
  policy.measure.target_dispersion = 0;
  return policy;
}

RemoteOptions options(const std::string& mode) { return {.command = {TEST_WORKER, mode}, .candidate_timeout_s = 20}; }

std::vector<Candidate> named(const std::vector<std::string>& faults) {
  std::vector<Candidate> candidates;
  for (const auto& fault : faults) candidates.push_back(broken::candidate(fault));
  return candidates;
}

struct Processes {
  RemoteEvaluator one;
  RemoteEvaluator other;

  explicit Processes(const std::string& mode = "usual") : one(options(mode)), other(options("usual")) {}

  Remembered confirm(const std::vector<std::string>& first, const std::vector<std::string>& second) {
    const auto policy = brief_policy();
    const std::atomic<bool> interrupted{false};
    Remembered seen;
    confirm_across({some_problem, policy, DeviceKind::cpu, interrupted},
                   {{one.steps(), named(first)}, {other.steps(), named(second)}}, seen);
    return seen;
  }
};

void expect_one_failure(const Remembered& seen, const std::string& name, Outcome outcome) {
  for (const auto& one : seen.evaluations) {
    const auto expected = one.candidate.name == name ? outcome : Outcome::ok;
    EXPECT_EQ(to_string(one.outcome), to_string(expected)) << one.candidate.name << ": " << one.reason;
  }
}

TEST(RemoteSteps, TwoProcessesTakeTurns) {
  Processes processes;
  const auto seen = processes.confirm({"right"}, {"right_slow"});
  ASSERT_EQ(seen.evaluations.size(), 2U);
  expect_one_failure(seen, "", Outcome::ok);
  for (const auto& one : seen.evaluations) {
    EXPECT_EQ(one.timing.sample_count, 16);
    EXPECT_GE(one.timing.turns.size(), 2U);
  }
  EXPECT_EQ(processes.one.statistics().starts, 1);
}

TEST(RemoteSteps, AKernelThatEndsItsProcessCostsOneCandidate) {
  for (const std::string fault : {"segfault", "abort", "exit"}) {
    Processes processes;
    const auto seen = processes.confirm({"right", fault}, {"right_slow"});
    ASSERT_EQ(seen.evaluations.size(), 3U) << fault;
    expect_one_failure(seen, fault, Outcome::crashed);
    EXPECT_EQ(processes.one.statistics().starts, 2) << fault;
    EXPECT_EQ(processes.other.statistics().starts, 1) << fault;
  }
}

/// The children of this process, from each of its threads.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) found.push_back(child);
  }
  return found;
}

/// Somebody else, who kills the workers when a candidate starts for the n-th time.
class Murderer final : public EvaluationObserver {
 public:
  explicit Murderer(int at) : at_(at) {}

  void started(const Candidate& /*candidate*/) override {
    if (++starts_ == at_)
      for (const auto child : children()) ::kill(child, SIGKILL);
  }
  void evaluated(const Evaluation& evaluation) override { evaluations_.push_back(evaluation); }

  bool came() const { return starts_ >= at_; }
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

 private:
  int at_;
  int starts_{};
  std::vector<Evaluation> evaluations_{};
};

TEST(RemoteSteps, WorkersThatAreKilledFromOutsideCostNobody) {
  if (!std::filesystem::exists("/proc/self/task/" + std::to_string(::getpid()) + "/children")) GTEST_SKIP();
  for (const int at : {1, 2, 3, 4, 6, 9}) {
    Processes processes;
    Murderer murderer(at);
    const auto policy = brief_policy();
    const std::atomic<bool> interrupted{false};
    confirm_across({some_problem, policy, DeviceKind::cpu, interrupted},
                   {{processes.one.steps(), named({"right"})}, {processes.other.steps(), named({"right_slow"})}},
                   murderer);
    EXPECT_TRUE(murderer.came()) << at;
    EXPECT_EQ(murderer.evaluations().size(), 2U) << at;
    for (const auto& one : murderer.evaluations()) EXPECT_EQ(one.outcome, Outcome::ok) << at << ": " << one.reason;
    EXPECT_GE(processes.one.statistics().starts + processes.other.statistics().starts, 3) << at;
  }
}

TEST(RemoteSteps, ADeviceThatIsLostCostsOneCandidate) {
  Processes processes("fragile");
  const auto seen = processes.confirm({"reports_failure", "right"}, {"right_slow"});
  ASSERT_EQ(seen.evaluations.size(), 3U);
  expect_one_failure(seen, "reports_failure", Outcome::launch_failed);
}

TEST(RemoteSteps, AProductIsJudgedHere) {
  Processes processes;
  ProductAudit audit;
  const auto audited = [&](const char* fault) {
    return audit.audit(*processes.one.steps(), {some_problem, broken::candidate(fault), VerifyPolicy{}});
  };
  EXPECT_EQ(audited("right").outcome, Outcome::ok) << audited("right").reason;
  EXPECT_EQ(audited("last_row").outcome, Outcome::wrong_result);
  const auto crash = audited("segfault");
  EXPECT_EQ(crash.outcome, Outcome::crashed);
  EXPECT_THAT(crash.reason, HasSubstr("SIGSEGV"));
  EXPECT_EQ(audited("right").outcome, Outcome::ok) << "a fresh worker goes on";
}

}  // namespace
}  // namespace gemmtune
