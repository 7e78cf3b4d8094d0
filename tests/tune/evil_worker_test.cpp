// Runs with real worker processes that crash, hang and break the protocol. Each fault costs one candidate and no more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/core/clock.h"
#include "gemmtune/tune/relatives.h"
#include "gemmtune/tune/tuner.h"
#include "gemmtune/worker/remote_evaluator.h"
#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// evil.py has the candidates c0 to c5, of which c0 is the fastest, and misbehaves when c2 runs.
WorkerFactory evil_workers(const std::string& mode, double candidate_timeout_s) {
  return [=](std::size_t) {
    return std::make_unique<RemoteEvaluator>(RemoteOptions{.command = {TEST_PYTHON, TEST_EVIL_WORKER, mode},
                                                           .candidate_timeout_s = candidate_timeout_s,
                                                           .start_attempts = 2});
  };
}

std::vector<std::string> quarantined(const FakeRun& run) {
  std::vector<std::string> found;
  for (const Quarantined& entry : TrialStore::open_read_only(run.folder.store()).quarantined()) {
    found.push_back(
        fmt::format("{} of {}: {}", entry.candidate.name, to_string(entry.problem), to_string(entry.outcome)));
  }
  return found;
}

struct Evil {
  std::string mode{};
  Outcome outcome{};
};

class EvilWorker : public testing::TestWithParam<Evil> {};

TEST_P(EvilWorker, CostsItsCandidateAndNoMore) {
  FakeRun run;
  run.plan.shapes = shapes_of(2);
  const auto report = run.run_with(evil_workers(GetParam().mode, 1.0));
  EXPECT_FALSE(report.stopped_by);
  EXPECT_TRUE(run.observer.lost.empty());
  std::vector<std::string> expected;
  for (const ShapeResult& result : report.results) {
    ASSERT_TRUE(result.winner) << result.why_failed;
    EXPECT_EQ(result.winner->candidate.name, "c0");
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(result.confirmed.size(), 5U);
    ASSERT_EQ(result.failures.size(), 1U);
    EXPECT_EQ(result.failures[0].candidate.name, "c2");
    EXPECT_EQ(result.failures[0].outcome, GetParam().outcome) << result.failures[0].reason;
    const auto relatives = crashed_relatives(result);
    ASSERT_EQ(relatives.size(), 1U) << "the winner shares its code with one that failed";
    EXPECT_EQ(relatives[0]->candidate.name, "c2");
    expected.push_back(fmt::format("c2 of {}: {}", to_string(result.shape.problem), to_string(GetParam().outcome)));
  }
  EXPECT_EQ(quarantined(run), expected);
  const auto entries = TrialStore::open_read_only(run.folder.store()).quarantined();
  EXPECT_THAT(entries.at(0).reproducer,
              HasSubstr("gemmtune evaluate --problem 1x4096x512:bf16:bf16:bf16 --candidate c2"));
}

// Under another policy everything is measured again, except the candidate that kills its worker.
TEST_P(EvilWorker, IsNotProvokedAgain) {
  FakeRun run;
  run.plan.shapes = shapes_of(1);
  run.run_with(evil_workers(GetParam().mode, 1.0));
  run.plan.screen.measure.warmup += 1;
  const auto result = run.run_with(evil_workers(GetParam().mode, 1.0)).results.at(0);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_THAT(result.failures[0].reason, HasSubstr("quarantined: "));
  EXPECT_EQ(crashed_relatives(result).size(), 1U) << "not tried again, and not forgotten";
  EXPECT_EQ(result.tried, 5) << "all but c2 screened again; the rest is known";
}

INSTANTIATE_TEST_SUITE_P(Modes, EvilWorker,
                         testing::Values(Evil{"segfault", Outcome::crashed},
                                         Evil{"abort_in_a_library", Outcome::crashed},
                                         Evil{"half_a_line", Outcome::crashed}, Evil{"hang", Outcome::timed_out}),
                         [](const auto& each) { return each.param.mode; });

// A limit is reached while a worker hangs: the run ends at once, and the candidate is not blamed.
TEST(HangingWorker, IsInterruptedByTheBudget) {
  FakeRun run;
  run.plan.shapes = shapes_of(2);
  run.plan.budget_s = 1.5;
  const auto start = SteadyClock::now();
  const auto report = run.run_with(evil_workers("hang", 1000));
  EXPECT_LT(seconds_since(start), 6.0);
  EXPECT_THAT(quarantined(run), ElementsAre());
  const auto& taken = report.results[1];                            // the larger shape goes first
  const auto& best = taken.winner ? taken.winner : taken.unproven;  // whether or not its proof was in time
  ASSERT_TRUE(best);
  EXPECT_EQ(best->candidate.name, "c0");
  EXPECT_EQ(best->stage, Stage::screen);
  const auto& other = report.results[0];  // begun, if the proof left some time
  EXPECT_FALSE(other.complete);
  EXPECT_THAT(other.why_failed + other.cut_short_by, HasSubstr("the budget of"));
  EXPECT_TRUE(run.observer.lost.empty());
}

TEST(WorkerThatCannotStart, FailsTheShapesWithItsReason) {
  FakeRun run;
  const auto report = run.run_with(evil_workers("crash_at_once", 1));
  ASSERT_EQ(run.observer.lost.size(), 1U);
  for (const ShapeResult& result : report.results) EXPECT_THAT(result.why_failed, HasSubstr("no worker is left: "));
}

}  // namespace
}  // namespace gemmtune
