// A run that is killed at any point and started again: nothing is screened twice, and the result is that of an
// undisturbed run.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gemmtune/tune/tuner.h"
#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

struct Killed {};

void expect_same(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.candidate, b.candidate);
  EXPECT_EQ(a.stage, b.stage);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.timing, b.timing);
}

void expect_same(const std::vector<Evaluation>& a, const std::vector<Evaluation>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const std::optional<Evaluation>& a, const std::optional<Evaluation>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (a) expect_same(*a, *b);
}

void expect_same_outcome(const TuneReport& a, const TuneReport& b) {
  ASSERT_EQ(a.results.size(), b.results.size());
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    const ShapeResult& x = a.results[i];
    const ShapeResult& y = b.results[i];
    expect_same(x.winner, y.winner);
    expect_same(x.default_choice, y.default_choice);
    expect_same(x.confirmed, y.confirmed);
    expect_same(x.failures, y.failures);
    EXPECT_EQ(x.tied, y.tied);
    expect_same(x.unproven, y.unproven);
    EXPECT_EQ(x.complete, y.complete);
    EXPECT_EQ(x.why_failed, y.why_failed);
    EXPECT_EQ(x.tried + x.reused, y.tried + y.reused);
  }
}

std::map<Asked, int> counted(const std::vector<Asked>& log) {
  std::map<Asked, int> counts;
  for (const Asked& asked : log) ++counts[asked];
  return counts;
}

void make_small(FakeRun& run) {
  run.world.candidates = numbered_candidates(24);
  run.plan.shapes = shapes_of(2);
}

TEST(Resume, DoesNothingTwice) {
  FakeRun run;
  const auto first = run.run();
  const auto once = run.world.evaluation_count();
  const auto second = run.run();
  EXPECT_EQ(run.world.evaluation_count(), once);
  expect_same_outcome(first, second);
  for (const ShapeResult& result : second.results) {
    EXPECT_EQ(result.tried, 0);
    EXPECT_GT(result.reused, 0);
    EXPECT_EQ(result.cost, Cost{}) << "nothing was run";
  }
}

TEST(Resume, EndsAsIfNothingHadBeenWhereverItWasKilled) {
  FakeRun undisturbed;
  make_small(undisturbed);
  const auto expected = undisturbed.run();
  const int calls = undisturbed.observer.candidates;
  ASSERT_GT(calls, 60);
  for (int deadly = 1; deadly <= calls; ++deadly) {
    SCOPED_TRACE(fmt::format("killed at call {} of {}", deadly, calls));
    FakeRun run;
    make_small(run);
    int call = 0;
    run.observer.at_candidate = [&] {
      if (++call == deadly) throw Killed{};
    };
    EXPECT_THROW(run.run(), Killed);
    expect_same_outcome(run.run(), expected);
    const auto counts = counted(run.world.log);
    EXPECT_EQ(counts.size(), undisturbed.world.log.size());
    std::int64_t again = 0;
    for (const auto& [asked, count] : counts)
      if (std::get<Stage>(asked) != Stage::confirm) again += count - 1;  // what is interleaved is lost until reported
    EXPECT_LE(again, 7) << "what had been handed over with it";
  }
}

// A trial that was reported, interleaved or not, is never repeated.
TEST(Resume, KeepsTheFinalistsThatWereReported) {
  FakeRun run;
  make_small(run);
  int call = 0;
  run.observer.at_candidate = [&] {
    if (++call == 30) throw Killed{};
  };
  EXPECT_THROW(run.run(), Killed);
  const auto stored = TrialStore::open(run.folder.store()).all().size();
  EXPECT_EQ(stored, 30U);
  run.run();
  const auto trials = TrialStore::open(run.folder.store()).all();
  std::set<std::tuple<Problem, std::string, Stage>> distinct;
  for (const Trial& t : trials) distinct.insert({t.problem, t.evaluation.candidate.name, t.evaluation.stage});
  EXPECT_EQ(distinct.size(), trials.size());
}

/// A store is a file, and earlier versions believed more than this one does: such a row must not win for ever.
TEST(Resume, MakesTrialsAgainThatContradictThemselves) {
  for (const char* lie : {"median_us = 1e-300", "err_ratio = 1.0", "workspace_bytes = 9223372036854775807",
                          "samples_us = '[1e308, 1e308, 1e308]'", "low_us = -1e9", "checked = 0"}) {
    SCOPED_TRACE(lie);
    FakeRun run;
    make_small(run);
    run.world.answer = [](const Problem& problem, const Candidate& candidate, Stage stage) {
      return answered(candidate, stage, told_time_us(problem, candidate));
    };
    const auto first = run.run();
    const auto once = run.world.evaluation_count();
    const auto store = run.folder.store().string();
    const int spoilt = SQLite::Database(store, SQLite::OPEN_READWRITE)
                           .exec(fmt::format("UPDATE trials SET {} WHERE outcome = 'ok' AND stage = 'screen'"
                                             " AND candidate_id % 2 = 0",
                                             lie));
    ASSERT_GT(spoilt, 0);
    expect_same_outcome(run.run(), first);
    EXPECT_EQ(run.world.evaluation_count(), once + static_cast<std::size_t>(spoilt));
    run.run();
    EXPECT_EQ(run.world.evaluation_count(), once + static_cast<std::size_t>(spoilt)) << "the new trials are known";
  }
}

TEST(Resume, GoesOnAnotherCardOfTheSameKind) {
  FakeRun run;
  run.run();
  const auto once = run.world.evaluation_count();
  run.run_with([&](std::size_t) { return std::make_unique<FakeEvaluator>(run.world, 7); });
  EXPECT_EQ(run.world.evaluation_count(), once);
}

}  // namespace
}  // namespace gemmtune
