// One device's workers together: gemmtune's own kernels in this process, and a Python worker with one fault or none
// (turns/turns.py).
#include "gemmtune/worker/composite_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "gemmtune/core/error.h"
#include "gemmtune/device/device.h"
#include "gemmtune/worker/remote_evaluator.h"
#include "tests/evaluate/fixture.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Problem some_problem = parse_problem("6x8x128:f32:f32:f32");

EvaluationPolicy brief(EvaluationPolicy policy) {
  policy.measure.cold_cache = false;
  policy.measure.warmup = std::min<std::int64_t>(policy.measure.warmup, 1);
  policy.measure.max_samples = 6;
  policy.measure.min_samples = 3;
  return policy;
}

Member python_member(const std::string& mode, Trust trust = Trust::audited, const std::string& family = "snake") {
  RemoteOptions options{.name = family, .command = {TEST_PYTHON, "-IS", TEST_TURNS_WORKER, TEST_EXAMPLE_WORKER}};
  options.command.insert(options.command.end(), {mode, family});
  if (mode == "hangs_in_turn") options.candidate_timeout_s = 2;
  return {
      .name = family, .evaluator = std::make_unique<RemoteEvaluator>(options), .trust = trust, .families = {family}};
}

Member own_member() {
  std::vector<std::unique_ptr<KernelFamily>> families;
  families.push_back(broken::make_family({"right", "right_slow"}));
  return {.name = "gemmtune",
          .evaluator = std::make_unique<LocalEvaluator>(small_cpu(), std::move(families)),
          .trust = Trust::trusted};
}

std::unique_ptr<CompositeEvaluator> beside(Member member) {
  std::vector<Member> members;
  members.push_back(own_member());
  members.push_back(std::move(member));
  return std::make_unique<CompositeEvaluator>(find_device("cpu"), std::move(members));
}

std::map<std::string, Evaluation> evaluated(CompositeEvaluator& evaluator, const EvaluationPolicy& policy) {
  Remembered seen;
  const auto candidates = evaluator.candidates(some_problem);
  evaluator.evaluate(some_problem, candidates, brief(policy), seen);
  EXPECT_EQ(seen.evaluations.size(), candidates.size());
  std::map<std::string, Evaluation> by_name;
  for (const auto& one : seen.evaluations) EXPECT_TRUE(by_name.emplace(one.candidate.name, one).second);
  return by_name;
}

std::vector<std::string> failed(const std::map<std::string, Evaluation>& evaluations) {
  std::vector<std::string> names;
  for (const auto& [name, one] : evaluations)
    if (one.outcome != Outcome::ok) names.push_back(name);
  return names;
}

TEST(CompositeEvaluator, AnswersForAllWorkers) {
  const auto evaluator = beside(python_member("honest"));
  EXPECT_EQ(evaluator->device(), find_device("cpu"));
  const auto supports = evaluator->supports(some_problem);
  ASSERT_EQ(supports.size(), 2U);
  EXPECT_EQ(supports[0].family, "broken");
  EXPECT_EQ(supports[1].family, "snake");
  EXPECT_EQ(supports[1].candidate_count, 4);
  EXPECT_EQ(evaluator->candidates(some_problem).size(), 6U);
}

TEST(CompositeEvaluator, EvaluatesAtEachStage) {
  const auto evaluator = beside(python_member("honest"));
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()}) {
    const auto evaluations = evaluated(*evaluator, policy);
    EXPECT_EQ(evaluations.size(), 6U);
    for (const auto& [name, one] : evaluations) {
      EXPECT_EQ(one.outcome, Outcome::ok) << to_string(policy.stage) << " " << name << ": " << one.reason;
      EXPECT_EQ(one.stage, policy.stage);
      EXPECT_EQ(one.timing.sample_count > 0, policy.stage != Stage::prove) << name;
      if (policy.stage == Stage::confirm) {
        EXPECT_GE(one.timing.turns.size(), 2U) << name;
      }
    }
  }
  EXPECT_THAT(evaluator->remarks(), IsEmpty());
}

TEST(CompositeEvaluator, AWorkerThatComputesNothingIsCaughtAtEachStage) {
  for (const auto& policy : {screen_policy(), confirm_policy(), prove_policy()}) {
    const auto evaluator = beside(python_member("computes_nothing"));
    const auto evaluations = evaluated(*evaluator, policy);
    EXPECT_EQ(failed(evaluations).size(), 4U) << to_string(policy.stage);
    for (const auto& [name, one] : evaluations) {
      if (one.candidate.family != "snake") continue;
      EXPECT_EQ(one.outcome, Outcome::wrong_result) << name;
      EXPECT_THAT(one.reason, HasSubstr("at the audit")) << name;
      EXPECT_EQ(one.timing, Timing{}) << name;
    }
  }
}

TEST(CompositeEvaluator, AProductOfOtherOperandsIsCaught) {
  const auto evaluator = beside(python_member("another_product"));
  EXPECT_EQ(failed(evaluated(*evaluator, confirm_policy())).size(), 4U);
}

TEST(CompositeEvaluator, AWorkerThatIsTrustedIsNotAudited) {
  const auto evaluator = beside(python_member("computes_nothing", Trust::trusted));
  EXPECT_THAT(failed(evaluated(*evaluator, confirm_policy())), IsEmpty());
}

TEST(CompositeEvaluator, AWorkerOfVersion1IsTimedAloneAndCannotWin) {
  const auto evaluator = beside(python_member("protocol_1"));
  EXPECT_THAT(failed(evaluated(*evaluator, screen_policy())), IsEmpty());
  EXPECT_THAT(failed(evaluated(*evaluator, confirm_policy())), IsEmpty());
  EXPECT_THAT(evaluator->remarks(), testing::Contains(HasSubstr("the times of snake were not taken in turns")));
  const auto proofs = evaluated(*evaluator, prove_policy());
  EXPECT_EQ(failed(proofs).size(), 4U);
  EXPECT_THAT(proofs.at("python_dot").reason, HasSubstr("its results cannot be audited"));
}

TEST(CompositeEvaluator, AWorkerOfVersion1CanWinIfItIsTrusted) {
  const auto evaluator = beside(python_member("protocol_1", Trust::trusted));
  EXPECT_THAT(failed(evaluated(*evaluator, prove_policy())), IsEmpty());
}

TEST(CompositeEvaluator, AFaultInATurnCostsOneCandidate) {
  const std::map<std::string, std::pair<Outcome, std::string>> faults{
      {"dies_in_turn", {Outcome::crashed, "exited with 9"}},
      {"hangs_in_turn", {Outcome::timed_out, "the worker said nothing"}},
      {"refuses_turn", {Outcome::launch_failed, "ValueError: not now"}},
      {"wrong_in_turn", {Outcome::wrong_result, "the witness saw it"}},
      {"too_few_samples", {Outcome::crashed, "samples.samples_us: expected"}},
      {"impossible_samples", {Outcome::crashed, "but the answer came after"}},
      {"dies_at_settle", {Outcome::crashed, "exited with 9"}},
      {"raises", {Outcome::launch_failed, "ZeroDivisionError: "}},
  };
  for (const auto& [mode, expected] : faults) {
    SCOPED_TRACE(mode);
    const auto evaluator = beside(python_member(mode));
    const auto evaluations = evaluated(*evaluator, confirm_policy());
    EXPECT_THAT(failed(evaluations), ElementsAre("python_index"));
    const auto& victim = evaluations.at("python_index");
    EXPECT_EQ(to_string(victim.outcome), to_string(expected.first));
    EXPECT_THAT(victim.reason, HasSubstr(expected.second));
  }
}

TEST(CompositeEvaluator, WhatDoesNotFitIsTimedLater) {
  const auto evaluator = beside(python_member("postpones"));
  EXPECT_THAT(failed(evaluated(*evaluator, confirm_policy())), IsEmpty());
}

TEST(CompositeEvaluator, AWorkerThatPostponesAllIsNotAskedForEver) {
  const auto evaluator = beside(python_member("postpones_all"));
  const auto evaluations = evaluated(*evaluator, confirm_policy());
  EXPECT_EQ(failed(evaluations).size(), 4U) << "those of the other worker are timed";
  EXPECT_THAT(evaluations.at("python_index").reason, HasSubstr("postponed all of its candidates"));
}

// Whether its end is seen before the next request or while that runs is a matter of chance.
TEST(CompositeEvaluator, AWorkerThatEndsAgainAndAgainIsNotAskedForEver) {
  const auto evaluator = beside(python_member("dies_idle"));
  const auto evaluations = evaluated(*evaluator, confirm_policy());
  EXPECT_EQ(to_string(evaluations.at("python_index").outcome), to_string(Outcome::crashed));
  for (const char* other : {"right", "right_slow"}) EXPECT_EQ(evaluations.at(other).outcome, Outcome::ok) << other;
}

TEST(CompositeEvaluator, AWorkerThatCannotStartIsLeftOut) {
  const auto evaluator = beside(python_member("cannot_start"));
  evaluator->device();
  EXPECT_THAT(evaluator->remarks(), ElementsAre("left out: snake: no module named snake; pip install snake"));
  const auto supports = evaluator->supports(some_problem);
  ASSERT_EQ(supports.size(), 2U);
  EXPECT_THAT(supports[1].why_not, HasSubstr("pip install snake"));
  EXPECT_EQ(evaluator->candidates(some_problem).size(), 2U);
}

TEST(CompositeEvaluator, RefusesTwoFamiliesOfOneName) {
  std::vector<Member> members;
  members.push_back(python_member("honest"));
  members.push_back(python_member("honest"));
  CompositeEvaluator evaluator(find_device("cpu"), std::move(members));
  EXPECT_THROW(evaluator.supports(some_problem), Error);
}

TEST(CompositeEvaluator, RefusesAWorkerOfAnotherDevice) {
  auto elsewhere = find_device("cpu");
  elsewhere.kind = DeviceKind::cuda;
  std::vector<Member> members;
  members.push_back(python_member("honest"));
  CompositeEvaluator evaluator(elsewhere, std::move(members));
  EXPECT_THROW(evaluator.device(), Error);
}

TEST(CompositeEvaluator, ACandidateOfAnUnknownFamilyIsUnsupported) {
  const auto evaluator = beside(python_member("honest"));
  const std::vector<Candidate> unknown{{.family = "nobody", .name = "nobody_1"}};
  Remembered seen;
  evaluator->evaluate(some_problem, unknown, brief(screen_policy()), seen);
  ASSERT_EQ(seen.evaluations.size(), 1U);
  EXPECT_EQ(seen.evaluations[0].outcome, Outcome::unsupported);
}

}  // namespace
}  // namespace gemmtune
