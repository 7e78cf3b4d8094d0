// The whole way: a worker process runs every planted fault, and each costs what it should and no more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/worker/conformance.h"
#include "gemmtune/worker/remote_evaluator.h"
#include "tests/families/broken/broken_family.h"

namespace gemmtune {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool under_sanitizer = true;  // its shadow memory alone is more than any limit
#else
constexpr bool under_sanitizer = false;
#endif

constexpr const char* problem_text = "33x47x130:f32:f32:f32";

RemoteOptions options() {
  return {.command = {TEST_WORKER},
          .candidate_timeout_s = 12,  // slow_answer sleeps for two, and machines are busy
          .memory_limit_bytes = under_sanitizer ? 0 : std::int64_t{2} << 30};
}

struct Record final : EvaluationObserver {
  void started(const Candidate& candidate) override { started_names.insert(candidate.name); }
  void evaluated(const Evaluation& evaluation) override {
    const bool is_new = evaluations.emplace(evaluation.candidate.name, evaluation).second;
    EXPECT_TRUE(is_new) << evaluation.candidate.name << " is reported twice";
  }
  std::set<std::string> started_names{};
  std::map<std::string, Evaluation> evaluations{};
};

std::vector<Candidate> all_faults() {
  std::vector<Candidate> candidates;
  for (const auto& fault : broken::planted_faults()) candidates.push_back(broken::candidate(fault.name));
  return candidates;
}

testing::Matcher<Outcome> expected_outcome(const broken::PlantedFault& fault) {
  if (fault.harm == broken::Harm::none) return Eq(Outcome::ok);
  if (fault.name == "hang") return Eq(Outcome::timed_out);
  if (fault.name == "allocates" && under_sanitizer) return Eq(Outcome::launch_failed);
  if (fault.harm == broken::Harm::process) return Eq(Outcome::crashed);
  return testing::_;  // what a fault costs within the process is tested with LocalEvaluator
}

void expect_each_fault_costs_itself(Stage stage) {
  RemoteEvaluator remote(options());
  Record record;
  EvaluationPolicy policy = stage == Stage::screen ? screen_policy() : confirm_policy();
  policy.measure.max_sampling_s = 0.05;
  remote.evaluate(parse_problem(problem_text), all_faults(), policy, record);
  EXPECT_EQ(record.evaluations.size(), broken::planted_faults().size());
  for (const auto& fault : broken::planted_faults()) {
    SCOPED_TRACE(fault.name);
    const Evaluation& evaluation = record.evaluations[std::string(fault.name)];
    EXPECT_THAT(evaluation.outcome, expected_outcome(fault)) << evaluation.reason;
    EXPECT_TRUE(record.started_names.contains(std::string(fault.name)));
  }
  EXPECT_THAT(record.evaluations["segfault"].reason, HasSubstr("SIGSEGV"));
  EXPECT_THAT(record.evaluations["abort"].reason, HasSubstr("SIGABRT"));
  EXPECT_THAT(record.evaluations["exit"].reason, HasSubstr("exited with 3"));
  EXPECT_EQ(remote.statistics().timeouts, 1);
  EXPECT_EQ(remote.statistics().crashes, under_sanitizer ? 3 : 4);
  EXPECT_EQ(remote.statistics().protocol_errors, 0) << "what kernels print is no protocol";
  // None is started for nothing: when the last candidate kills its worker, no other follows.
  const std::int64_t lost = remote.statistics().timeouts + remote.statistics().crashes;
  EXPECT_THAT(remote.statistics().starts, AnyOf(lost, lost + 1));
}

TEST(BrokenWorker, EachFaultCostsItselfWhenScreening) { expect_each_fault_costs_itself(Stage::screen); }

TEST(BrokenWorker, EachFaultCostsItselfWhenConfirming) { expect_each_fault_costs_itself(Stage::confirm); }

TEST(BrokenWorker, ALostDeviceCostsItsCulpritAndItsProcess) {
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()}) {
    SCOPED_TRACE(to_string(policy.stage));
    RemoteEvaluator remote({.command = {TEST_WORKER, "fragile"}});
    Record record;
    const std::vector candidates{broken::candidate("reports_failure"), broken::candidate("right"),
                                 broken::candidate("one_element")};
    remote.evaluate(parse_problem(problem_text), candidates, policy, record);
    EXPECT_EQ(record.evaluations["reports_failure"].outcome, Outcome::launch_failed);
    EXPECT_THAT(record.evaluations["reports_failure"].reason, HasSubstr("planted failure"));
    EXPECT_EQ(record.evaluations["right"].outcome, Outcome::ok) << record.evaluations["right"].reason;
    EXPECT_EQ(record.evaluations["one_element"].outcome, Outcome::wrong_result);
    EXPECT_EQ(remote.statistics().starts, 2);
    EXPECT_EQ(remote.statistics().protocol_errors, 0);
  }
}

TEST(BrokenWorker, AnswersQueries) {
  RemoteEvaluator remote(options());
  EXPECT_EQ(remote.device().kind, DeviceKind::cpu);
  const Problem problem = parse_problem(problem_text);
  EXPECT_EQ(remote.candidates(problem), all_faults());
  ASSERT_EQ(remote.supports(problem).size(), 1U);
  EXPECT_EQ(remote.supports(problem)[0].candidate_count, static_cast<std::int64_t>(all_faults().size()));
}

TEST(BrokenWorker, SaysThatItHasNoDevice) {
  RemoteEvaluator remote({.command = {TEST_WORKER, "no_device"}});
  try {
    remote.device();
    FAIL() << "it has a device";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::no_device);
    EXPECT_THAT(error.what(), HasSubstr("cpu:12345"));
  }
}

TEST(BrokenWorker, KeepsToTheProtocol) {
  for (const ConformanceCheck& check : check_worker({TEST_WORKER}, problem_text)) {
    EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
  }
}

}  // namespace
}  // namespace gemmtune
