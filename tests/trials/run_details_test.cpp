#include "gemmtune/trials/run_details.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "tests/trials/invented_trials.h"
#include "tests/trials/old_stores.h"

namespace gemmtune {
namespace {

RunResult invented_result(std::int64_t m, double time_us = 5) {
  return {.problem = invented_problem(m),
          .winner = "toy_kc1",
          .time_us = time_us,
          .default_choice = "toy_kc0",
          .default_us = 10,
          .claim = "regret at most 1 %",
          .weight = 32,
          .layer = "qkv",
          .low_us = 4.5,
          .high_us = 5.5,
          .default_low_us = 9,
          .default_high_us = 11};
}

TEST(RunDetails, ComeBackAsTheyWere) {
  const TemporaryFolder folder;
  auto store = TrialStore::open(folder.store());
  const auto run = store.begin_run("gemmtune tune", 2);
  const auto other = store.begin_run("gemmtune tune", 1);
  store.add_result(run, invented_result(1, 6));
  store.add_result(run, {.problem = invented_problem(2), .why_failed = "nothing was right"});
  store.add_result(run, invented_result(1));  // replaces the first result of this problem
  store.add_file(run, {"table", "/a/tuned.csv"});
  store.add_file(run, {"table", "/a/tuned.csv"});
  for (const auto* text : {"one", "two", "three"}) store.add_line(run, text);

  const auto results = store.results(run);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].problem, invented_problem(1));
  EXPECT_EQ(results[1].time_us, 5);
  EXPECT_EQ(results[1].gain(), 2);
  EXPECT_EQ(results[1].claim, "regret at most 1 %");
  EXPECT_EQ(results[1].weight, 32);
  EXPECT_EQ(results[1].layer, "qkv");
  EXPECT_EQ(results[1].low_us + results[1].high_us + results[1].default_low_us + results[1].default_high_us, 30);
  EXPECT_FALSE(results[1].time_utc.empty());
  EXPECT_EQ(results[0].why_failed, "nothing was right");
  EXPECT_FALSE(results[0].gain());
  ASSERT_EQ(store.files(run).size(), 1U);
  EXPECT_EQ(store.files(run)[0].path, "/a/tuned.csv");
  const auto lines = store.last_lines(run, 2);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].text + lines[1].text, "twothree");
  EXPECT_TRUE(store.results(other).empty() && store.last_lines(other, 9).empty() && store.files(other).empty());
}

TEST(RunDetails, GainsNeedTwoTimes) {
  auto result = invented_result(1);
  result.default_us = 0;
  EXPECT_FALSE(result.gain());
  result.default_us = 10;
  result.default_choice = "";
  EXPECT_FALSE(result.gain());
}

TEST(RunDetails, OutcomesOfARunAreThoseOfItsTime) {
  const TemporaryFolder folder;
  auto store = TrialStore::open(folder.store());
  const auto run = store.begin_run("gemmtune tune", 1);
  auto failed = invented_evaluation(1);
  failed.outcome = Outcome::crashed;
  store.add(invented_problem(), invented_evaluation(0), invented_context());
  store.add(invented_problem(), failed, invented_context());
  store.update_run(run, 1, 0, "done");
  const auto outcomes = store.outcomes_during(store.runs().front());
  EXPECT_EQ(outcomes, (std::map<Outcome, std::int64_t>{{Outcome::ok, 1}, {Outcome::crashed, 1}}));
  EXPECT_TRUE(
      store.outcomes_during({.begun_utc = "2000-01-01T00:00:00Z", .heartbeat_utc = "2000-01-02T00:00:00Z"}).empty());
}

TEST(RunDetails, AnOldStoreIsReadWithoutThem) {
  const TemporaryFolder folder;
  make_old(folder.store(), 1);
  const auto store = TrialStore::open_read_only(folder.store());
  EXPECT_EQ(store.all().size(), 1U);
  EXPECT_TRUE(store.results(1).empty() && store.last_lines(1, 9).empty() && store.files(1).empty());
}

TEST(RunDetails, AnOldStoreIsBroughtUpToDateWhenItIsWritten) {
  const TemporaryFolder folder;
  make_old(folder.store(), 1);
  {
    auto store = TrialStore::open(folder.store());
    store.add_result(1, invented_result(1));
  }
  const auto store = TrialStore::open_read_only(folder.store());
  EXPECT_EQ(store.all().size(), 1U);
  ASSERT_EQ(store.results(1).size(), 1U);
  EXPECT_EQ(store.results(1)[0].weight, 32) << "the table has got what is new";
  EXPECT_EQ(store.runs().size(), 1U);
}

}  // namespace
}  // namespace gemmtune
