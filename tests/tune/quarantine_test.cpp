// Candidates that crash or hang their worker are not tried again. The store keeps a command that repeats the failure.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/tune/journal.h"
#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

Evaluation with_killers(const Problem& problem, const Candidate& candidate, Stage stage) {
  if (candidate.name == "toy_2") return refused(candidate, stage, Outcome::crashed);
  if (candidate.name == "toy_3") return refused(candidate, stage, Outcome::timed_out);
  if (candidate.name == "toy_4") return refused(candidate, stage, Outcome::wrong_result);
  return answered(candidate, stage, told_time_us(problem, candidate));
}

struct DeadlyRun : FakeRun {
  DeadlyRun() {
    world.answer = with_killers;
    plan.shapes = shapes_of(1);
    plan.screen.seed = 42;
  }

  std::vector<Quarantined> quarantined() const { return TrialStore::open_read_only(folder.store()).quarantined(); }

  int times_run(const std::string& name) const {
    int count = 0;
    for (const Asked& asked : world.log) count += std::get<1>(asked) == name ? 1 : 0;
    return count;
  }
};

TEST(Quarantine, HoldsWhatCrashedOrHungWithAReproducer) {
  DeadlyRun run;
  EXPECT_TRUE(run.run().results[0].winner);
  const auto entries = run.quarantined();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].candidate.name, "toy_2");
  EXPECT_EQ(entries[0].outcome, Outcome::crashed);
  EXPECT_EQ(entries[0].reason, "crashed as told");
  EXPECT_EQ(entries[0].device, "Invented CPU (x86-64-avx2)");
  EXPECT_EQ(entries[0].problem, invented_problem(1));
  EXPECT_EQ(entries[0].reproducer, "gemmtune evaluate --problem " + to_string(invented_problem(1)) +
                                       " --candidate toy_2 --seed 42 --stage screen");
  EXPECT_EQ(entries[1].candidate.name, "toy_3");
  EXPECT_EQ(entries[1].outcome, Outcome::timed_out);
}

// Another policy makes another trial of it, but not another crash.
TEST(Quarantine, KeepsThemFromRunningInAnotherContext) {
  DeadlyRun run;
  run.run();
  run.plan.screen.measure.warmup = 9;
  const auto result = run.run().results.at(0);
  EXPECT_EQ(run.times_run("toy_1"), 2 + 2 - 1) << "screened twice, confirmed once, or never chosen";
  EXPECT_EQ(run.times_run("toy_2"), 1);
  EXPECT_EQ(run.times_run("toy_3"), 1);
  EXPECT_EQ(run.times_run("toy_4"), 2) << "a wrong result is harmless to try";
  std::vector<std::string> reasons;
  for (const Evaluation& failure : result.failures) reasons.push_back(failure.reason);
  EXPECT_THAT(reasons, testing::UnorderedElementsAre("quarantined: crashed as told", "quarantined: timed_out as told",
                                                     "wrong_result as told"));
}

TEST(Quarantine, DoesNotReachOtherShapes) {
  DeadlyRun run;
  run.run();
  run.plan.shapes = shapes_of(2);
  run.run();
  EXPECT_EQ(run.times_run("toy_2"), 2);
  EXPECT_EQ(run.quarantined().size(), 4U);
}

TEST(Quarantine, IsMadeUpForWhenARunDiedBeforeIt) {
  DeadlyRun run;
  {
    TrialStore store = TrialStore::open(run.folder.store());
    FakeEvaluator evaluator(run.world, 0);
    store.add(invented_problem(1), refused({"toy", "toy_2"}, Stage::screen, Outcome::crashed),
              {.device = evaluator.device(), .family_version = "toy 1", .policy = run.plan.screen});
  }
  run.run();
  EXPECT_EQ(run.times_run("toy_2"), 0);
  EXPECT_EQ(run.quarantined().size(), 2U);
}

TEST(Quarantine, IsLiftedForGood) {
  DeadlyRun run;
  run.run();
  {
    auto store = TrialStore::open(run.folder.store());
    store.lift(store.quarantined().at(0));
  }
  run.run();
  EXPECT_EQ(run.times_run("toy_2"), 2) << "its crash before the lift is known no more";
  EXPECT_EQ(run.times_run("toy_3"), 1);
  EXPECT_EQ(run.quarantined().size(), 2U) << "it crashed again";
  run.run();
  EXPECT_EQ(run.times_run("toy_2"), 2) << "a crash after the lift counts";
}

TEST(Quarantine, WhatWasLiftedAndIsRightStaysIn) {
  DeadlyRun run;
  run.run();
  {
    auto store = TrialStore::open(run.folder.store());
    for (const auto& entry : store.quarantined()) store.lift(entry);
  }
  run.world.answer = [](const Problem& problem, const Candidate& candidate, Stage stage) {
    return answered(candidate, stage, told_time_us(problem, candidate));
  };
  const auto result = run.run().results.at(0);
  EXPECT_TRUE(run.quarantined().empty());
  EXPECT_EQ(result.failures.size(), 1U) << "the wrong result, which is known from the store";
}

TEST(DamagedTrial, IsMeasuredAgain) {
  DeadlyRun run;
  const auto winner = run.run().results.at(0).winner;
  ASSERT_TRUE(winner);
  {
    SQLite::Database database(run.folder.store().string(), SQLite::OPEN_READWRITE);
    database.exec("UPDATE trials SET samples_us = '[1, 2' WHERE stage = 'screen' AND id = 2");
    database.exec("UPDATE trials SET outcome = 'splendid' WHERE stage = 'screen' AND id = 3");
  }
  const auto before = run.world.evaluation_count();
  const auto again = run.run().results.at(0);
  ASSERT_TRUE(again.winner) << again.why_failed;
  EXPECT_EQ(again.winner->candidate, winner->candidate);
  EXPECT_GE(run.world.evaluation_count(), before + 1);
  EXPECT_LE(run.world.evaluation_count(), before + 2) << "one of them may be quarantined";
}

TEST(Reproducer, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(reproducer("/opt/my tools/gemmtune", invented_problem(1),
                       {.candidate = {"triton", "it's $(x)"}, .stage = Stage::confirm, .seed = 7}),
            "'/opt/my tools/gemmtune' evaluate --problem " + to_string(invented_problem(1)) +
                " --candidate 'it'\\''s $(x)' --seed 7 --stage confirm");
}

}  // namespace
}  // namespace gemmtune
