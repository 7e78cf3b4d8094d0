#include "gemmtune/report/run_status.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "gemmtune/core/files.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

std::string own_command_line() {
  auto text = read_file("/proc/self/cmdline");
  while (text.ends_with('\0')) text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

TEST(RunStatus, States) {
  const gemmtune::Run running{.state = "running"};
  EXPECT_EQ(state_of(running, true, 9999), RunState::running) << "a candidate may take long";
  EXPECT_EQ(state_of(running, false, 0), RunState::killed);
  EXPECT_EQ(state_of(running, std::nullopt, 5), RunState::running);
  EXPECT_EQ(state_of(running, std::nullopt, 9999), RunState::silent);
  EXPECT_EQ(state_of({.state = "done"}, true, 0), RunState::done);
  EXPECT_EQ(state_of({.state = "stopped"}, false, 0), RunState::stopped);
}

TEST(RunStatus, Times) {
  EXPECT_EQ(seconds_between("1970-01-01T00:01:00Z", 90), 30);
  EXPECT_EQ(seconds_between("2026-11-28T08:00:00Z", 1795852800 + 60), 60);
  EXPECT_EQ(seconds_between("yesterday", 90), 0);
  EXPECT_EQ(seconds_between("", 90), 0);
}

TEST(RunStatus, OfARunThatIsRunning) {
  const TemporaryFolder folder;
  auto store = TrialStore::open(folder.store());
  const auto run = store.begin_run(own_command_line(), 4);
  const auto table = folder.path() / "tuned.csv";
  std::ofstream(table) << "12345";
  store.add_file(run, {"table", table.string()});
  store.add_file(run, {"profile", "/nowhere/profile.csv"});
  store.add_line(run, "[1/4] done");
  store.add(invented_problem(), invented_evaluation(), invented_context());
  for (const auto& [m, us] : {std::pair(1, 5.0), std::pair(2, 2.5), std::pair(3, 0.0)})
    store.add_result(run, {.problem = invented_problem(m),
                           .winner = us > 0 ? "toy" : "",
                           .time_us = us,
                           .default_choice = "usual",
                           .default_us = 20});
  store.update_run(run, 3, 1, "running");

  const auto statuses = statuses_of(folder.store());
  ASSERT_EQ(statuses.size(), 1U);
  const auto& status = statuses[0];
  EXPECT_EQ(status.state, RunState::running);
  EXPECT_EQ(status.run.shapes_failed, 1);
  EXPECT_NEAR(status.mean_gain, std::sqrt(4.0 * 8.0), 1e-9);
  const auto best = best_gains(status, 1);
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].problem, invented_problem(2));
  EXPECT_EQ(status.outcomes.at(Outcome::ok), 1);
  ASSERT_EQ(status.files.size(), 2U);
  EXPECT_TRUE(status.files[0].is_there);
  EXPECT_EQ(status.files[0].bytes, 5);
  EXPECT_FALSE(status.files[1].is_there);
  ASSERT_EQ(status.last_lines.size(), 1U);
}

TEST(RunStatus, AProcessIdThatAnotherOneHasNow) {
  const TemporaryFolder folder;
  TrialStore::open(folder.store()).begin_run("gemmtune tune -i elsewhere.csv", 4);
  EXPECT_EQ(statuses_of(folder.store()).at(0).state, RunState::killed);
}

TEST(RunStatus, OldRunsAreShownOnDemand) {
  const TemporaryFolder folder;
  auto store = TrialStore::open(folder.store());
  store.begin_run("killed", 1);
  const auto running = store.begin_run(own_command_line(), 1);
  const auto last = store.begin_run("done", 1);
  store.update_run(last, 1, 0, "done");
  const auto statuses = statuses_of(folder.store());
  ASSERT_EQ(statuses.size(), 2U);
  EXPECT_EQ(statuses[0].run.id, running);
  EXPECT_EQ(statuses[1].run.id, last);
  EXPECT_FALSE(statuses[1].remaining_s);
  EXPECT_EQ(statuses_of(folder.store(), {.all_runs = true}).size(), 3U);
}

}  // namespace
}  // namespace gemmtune
