// A store that refuses trials ends the run. Earlier results are returned together with the error.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/tune/tuner.h"
#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

// From now on the store accepts `count` more trials.
void limit_trials(const std::filesystem::path& path, int count) {
  TrialStore::open(path);
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE)
      .exec(fmt::format("CREATE TRIGGER full BEFORE INSERT ON trials WHEN (SELECT count(*) FROM trials) >= {}"
                        " BEGIN SELECT RAISE(FAIL, 'no room'); END",
                        count));
}

TEST(StoreFailure, ComesBackBesideTheResults) {
  FakeRun whole;
  const auto expected = whole.run();
  const auto of_first = static_cast<int>(expected.results[0].tried);
  FakeRun run;
  limit_trials(run.folder.store(), of_first + 20);
  const auto report = run.run();
  ASSERT_TRUE(report.stopped_by);
  EXPECT_THAT(report.stopped_by->what(), HasSubstr("no room"));
  EXPECT_EQ(report.results[0].winner->candidate, expected.results[0].winner->candidate);
  EXPECT_FALSE(report.results[1].complete);
  EXPECT_THAT(report.results[1].cut_short_by, HasSubstr("no room"));
  EXPECT_FALSE(report.results[1].winner) << "a proof that cannot be written is no proof";
  ASSERT_TRUE(report.results[1].unproven);
  EXPECT_EQ(report.results[1].unproven->stage, Stage::screen);
  EXPECT_EQ(report.results[2].why_failed, "not reached: the run ended in an error");
  EXPECT_EQ(TrialStore::open(run.folder.store()).all().size(), static_cast<std::size_t>(of_first + 20));
}

// A trial that is not written is not used.
TEST(StoreFailure, TellsNobodyOfATrialThatWasNotWritten) {
  FakeRun run;
  limit_trials(run.folder.store(), 5);
  const auto report = run.run();
  EXPECT_EQ(run.observer.candidates, 5);
  EXPECT_EQ(report.results[0].tried, 5);
}

TEST(StoreFailure, StopsAllWorkers) {
  FakeRun run;
  run.plan.shapes = shapes_of(20);
  run.workers = 4;
  run.world.takes = std::chrono::milliseconds(1);
  limit_trials(run.folder.store(), 50);
  const auto report = run.run();
  ASSERT_TRUE(report.stopped_by);
  EXPECT_LE(run.world.evaluation_count(), 50U + 4U * 8U) << "50, and what four workers had been handed";
  EXPECT_TRUE(run.observer.lost.empty()) << "the workers are not to blame";
}

TEST(StoreFailure, OfAnObserverIsTheSame) {
  FakeRun run;
  run.observer.at_candidate = [&] {
    if (run.observer.candidates == 7) fail(ErrorCode::io, "profile.csv: no space left");
  };
  const auto report = run.run();
  ASSERT_TRUE(report.stopped_by);
  EXPECT_STREQ(report.stopped_by->what(), "profile.csv: no space left");
  EXPECT_LE(run.world.evaluation_count(), 8U) << "what had been handed over with the seventh";
}

}  // namespace
}  // namespace gemmtune
