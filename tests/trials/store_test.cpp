#include "gemmtune/trials/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

void expect_same(const Evaluation& found, const Evaluation& expected) {
  EXPECT_EQ(found.candidate, expected.candidate);
  EXPECT_EQ(found.candidate.params, expected.candidate.params);
  EXPECT_EQ(found.candidate.split_k, expected.candidate.split_k);
  EXPECT_EQ(found.candidate.library_id, expected.candidate.library_id);
  EXPECT_EQ(found.stage, expected.stage);
  EXPECT_EQ(found.outcome, expected.outcome);
  EXPECT_EQ(found.reason, expected.reason);
  EXPECT_EQ(found.timing, expected.timing);
  EXPECT_EQ(found.accuracy, expected.accuracy);
  EXPECT_EQ(found.cost, expected.cost);
}

class TrialStoreTest : public testing::Test {
 protected:
  std::optional<Evaluation> find(const TrialContext& context, int number = 0) const {
    return store.find(invented_problem(), invented_candidate(number), Stage::confirm, context);
  }

  TemporaryFolder folder;
  TrialStore store = TrialStore::open(folder.store());
};

TEST_F(TrialStoreTest, GivesBackAllOfATrial) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  const auto trials = store.all();
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].problem, invented_problem());
  EXPECT_EQ(trials[0].context.device, invented_context().device);
  EXPECT_EQ(trials[0].context.family_version, "toy 1.2");
  EXPECT_EQ(trials[0].context.policy, invented_context().policy);
  EXPECT_EQ(trials[0].time_utc.size(), std::string_view("2026-11-27T21:41:31Z").size());
  expect_same(trials[0].evaluation, invented_evaluation());
}

TEST_F(TrialStoreTest, GivesBackEachOutcomeWithItsReason) {
  for (int i = 0; i <= static_cast<int>(Outcome::crashed); ++i) {
    Evaluation evaluation = invented_evaluation(i);
    evaluation.outcome = static_cast<Outcome>(i);
    evaluation.reason = "killed by signal 11; it's \"bad\": \xff\n";
    store.add(invented_problem(), evaluation, invented_context());
    const auto found = find(invented_context(), i);
    ASSERT_TRUE(found);
    evaluation.reason = "killed by signal 11; it's \"bad\": \\xff";  // as it is shown
    expect_same(*found, evaluation);
  }
}

TEST_F(TrialStoreTest, KeepsInfinityAndNaN) {
  Evaluation evaluation = invented_evaluation();
  evaluation.accuracy.worst_error = std::numeric_limits<double>::infinity();
  evaluation.accuracy.err_ratio = std::numeric_limits<double>::quiet_NaN();
  evaluation.timing.samples_us = {1, std::numeric_limits<double>::quiet_NaN()};
  evaluation.timing.turns = {1, 1};
  store.add(invented_problem(), evaluation, invented_context());
  const auto found = find(invented_context());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->accuracy.worst_error, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(found->accuracy.err_ratio));
  ASSERT_EQ(found->timing.samples_us.size(), 2U);
  EXPECT_TRUE(std::isnan(found->timing.samples_us[1]));
}

TEST_F(TrialStoreTest, FindsTheLatestOfEqualTrials) {
  Evaluation evaluation = invented_evaluation();
  store.add(invented_problem(), evaluation, invented_context());
  evaluation.timing.median_us = 5;
  store.add(invented_problem(), evaluation, invented_context());
  EXPECT_EQ(find(invented_context())->timing.median_us, 5);
  EXPECT_EQ(store.all().size(), 2U);
}

TEST_F(TrialStoreTest, FindsNothingOfAnotherProblemCandidateOrStage) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  const TrialContext context = invented_context();
  EXPECT_FALSE(store.find(invented_problem(65), invented_candidate(), Stage::confirm, context));
  EXPECT_FALSE(store.find(invented_problem(), invented_candidate(1), Stage::confirm, context));
  EXPECT_FALSE(store.find(invented_problem(), invented_candidate(), Stage::screen, context));
  Candidate other_family = invented_candidate();
  other_family.family = "other";
  EXPECT_FALSE(store.find(invented_problem(), other_family, Stage::confirm, context));
}

TEST_F(TrialStoreTest, FindsTrialsOfAnotherCardOfTheSameKind) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  TrialContext context = invented_context();
  context.device.index = 5;
  context.device.memory_bytes = 1;
  EXPECT_TRUE(find(context));
}

// Each of these changes makes it another trial.
TEST_F(TrialStoreTest, FindsTrialsWhenOtherFamiliesHaveChanged) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  TrialContext context = invented_context();
  context.device.libraries["a_new_family"] = "1";
  EXPECT_TRUE(find(context));
  context.family_version = "toy 1.2, build 3fa81c02";
  EXPECT_FALSE(find(context)) << "its own sources were edited";
}

TEST_F(TrialStoreTest, FindsNothingInADifferentContext) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  using Change = std::function<void(TrialContext&)>;
  const std::vector<Change> changes{[](auto& c) { c.device.kind = DeviceKind::cuda; },
                                    [](auto& c) { c.device.name = "Another CPU"; },
                                    [](auto& c) { c.device.arch = "sm90"; },
                                    [](auto& c) { c.device.cu_num = 7; },
                                    [](auto& c) { c.device.last_level_cache_bytes = 1; },
                                    [](auto& c) { c.device.features = {"avx2"}; },
                                    [](auto& c) { c.device.driver = "6.2"; },
                                    [](auto& c) { c.family_version = "toy 1.3"; },
                                    [](auto& c) { c.policy.seed = 1; },
                                    [](auto& c) { c.policy.stage = Stage::prove; },
                                    [](auto& c) { c.policy.measure.warmup = 50; },
                                    [](auto& c) { c.policy.measure.min_samples = 50; },
                                    [](auto& c) { c.policy.measure.max_samples = 50; },
                                    [](auto& c) { c.policy.measure.max_sampling_s = 0.125; },
                                    [](auto& c) { c.policy.measure.target_dispersion = 0.125; },
                                    [](auto& c) { c.policy.measure.keep_samples = false; },
                                    [](auto& c) { c.policy.measure.cold_cache = false; },
                                    [](auto& c) { c.policy.measure.cold_instructions = true; },
                                    [](auto& c) { c.policy.verify.err_ratio_limit = 0.125; },
                                    [](auto& c) { c.policy.verify.atol = 0.125; },
                                    [](auto& c) { c.policy.verify.rtol = 0.125; },
                                    [](auto& c) { c.policy.verify.full_reference_flops = 1; }};
  EXPECT_TRUE(find(invented_context()));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TrialContext context = invented_context();
    changes[i](context);
    EXPECT_FALSE(find(context)) << "change " << i;
    store.add(invented_problem(), invented_evaluation(), context);
    EXPECT_TRUE(find(context)) << "change " << i;
  }
}

TEST_F(TrialStoreTest, ListsTheTrialsOfAProblem) {
  for (int m = 1; m <= 3; ++m) {
    for (int i = 0; i < m; ++i) store.add(invented_problem(m), invented_evaluation(i), invented_context());
  }
  const auto trials = store.of(invented_problem(2));
  ASSERT_EQ(trials.size(), 2U);
  for (const Trial& trial : trials) EXPECT_EQ(trial.problem, invented_problem(2));
  EXPECT_LT(trials[0].id, trials[1].id);
  EXPECT_TRUE(store.of(invented_problem(4)).empty());
}

TEST_F(TrialStoreTest, GivesTheTimesOfWhatWasRightOnADevice) {
  auto evaluation = invented_evaluation();
  store.add(invented_problem(), evaluation, invented_context());
  evaluation.outcome = Outcome::wrong_result;
  store.add(invented_problem(), evaluation, invented_context());
  auto elsewhere = invented_context();
  elsewhere.device.name = "another";
  store.add(invented_problem(), invented_evaluation(), elsewhere);
  const auto times = store.times(invented_context().device);
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times[0].problem, invented_problem());
  EXPECT_EQ(times[0].family, evaluation.candidate.family);
  EXPECT_EQ(times[0].candidate, evaluation.candidate.name);
  EXPECT_EQ(times[0].median_us, evaluation.timing.median_us);
}

/// A store is a file, which others may have written.
TEST_F(TrialStoreTest, GivesNoTimesThatCannotBe) {
  auto evaluation = invented_evaluation();
  for (const double us : {1e-300, -3.0, 1e308, std::nan("")}) {
    evaluation.timing.median_us = us;
    store.add(invented_problem(), evaluation, invented_context());
  }
  EXPECT_TRUE(store.times(invented_context().device).empty());
}

TEST_F(TrialStoreTest, ShowsForeignTextsOnOnePrintableLine) {
  const std::string evil = "a\n\x1b[31mb";
  const std::string shown = "a | \\x1b[31mb";
  auto evaluation = invented_evaluation();
  evaluation.candidate.name = evil;
  evaluation.outcome = Outcome::crashed;
  evaluation.reason = evil;
  store.add(invented_problem(), evaluation, invented_context());
  store.quarantine({.device = evil, .problem = invented_problem(), .candidate = evaluation.candidate, .reason = evil});
  for (const Trial& trial : store.all()) {
    EXPECT_EQ(trial.evaluation.candidate.name, shown);
    EXPECT_EQ(trial.evaluation.reason, shown);
  }
  const auto quarantined = store.quarantined();
  ASSERT_EQ(quarantined.size(), 1U);
  EXPECT_EQ(quarantined[0].device, shown);
  EXPECT_EQ(quarantined[0].candidate.name, shown);
  EXPECT_EQ(quarantined[0].reason, shown);
}

TEST_F(TrialStoreTest, QuarantinesOnceForEachDeviceProblemAndCandidate) {
  const Quarantined entry{.device = "Invented CPU (avx2)",
                          .problem = invented_problem(),
                          .candidate = invented_candidate(),
                          .outcome = Outcome::timed_out,
                          .reason = "silent for 3 s",
                          .reproducer = "gemmtune evaluate"};
  Quarantined again = entry;
  again.reason = "later";
  Quarantined elsewhere = entry;
  elsewhere.device = "another";
  for (const auto& each : {entry, again, elsewhere}) store.quarantine(each);
  const auto found = store.quarantined();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].device, entry.device);
  EXPECT_EQ(found[0].problem, entry.problem);
  EXPECT_EQ(found[0].candidate, entry.candidate);
  EXPECT_EQ(found[0].candidate.params, entry.candidate.params);
  EXPECT_EQ(found[0].outcome, Outcome::timed_out);
  EXPECT_EQ(found[0].reason, "silent for 3 s");
  EXPECT_EQ(found[0].reproducer, "gemmtune evaluate");
  EXPECT_EQ(found[1].device, "another");
}

TEST_F(TrialStoreTest, RemembersRuns) {
  const auto run = store.begin_run("gemmtune tune -i a.csv", 12);
  store.begin_run("gemmtune tune -i b.csv", 1);
  store.update_run(run, 3, 1, "stopped");
  const auto runs = store.runs();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].id, run);
  EXPECT_EQ(runs[0].command_line, "gemmtune tune -i a.csv");
  EXPECT_EQ(runs[0].pid, ::getpid());
  EXPECT_EQ(runs[0].shapes, 12);
  EXPECT_EQ(runs[0].shapes_done, 3);
  EXPECT_EQ(runs[0].shapes_failed, 1);
  EXPECT_EQ(runs[0].state, "stopped");
  EXPECT_EQ(runs[1].state, "running");
}

TEST_F(TrialStoreTest, IsReadBesideItsWriter) {
  store.add(invented_problem(), invented_evaluation(0), invented_context());
  const TrialStore reader = TrialStore::open_read_only(folder.store());
  EXPECT_EQ(reader.all().size(), 1U);
  store.add(invented_problem(), invented_evaluation(1), invented_context());
  EXPECT_EQ(reader.all().size(), 2U) << "a reader sees what is added later";
}

TEST_F(TrialStoreTest, IsReadOnlyWhenOpenedSo) {
  TrialStore reader = TrialStore::open_read_only(folder.store());
  EXPECT_EQ(caught([&] { reader.add(invented_problem(), invented_evaluation(), invented_context()); }).code,
            ErrorCode::io);
}

TEST_F(TrialStoreTest, TakesTrialsFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 10; ++i) {
        store.add(invented_problem(t + 1), invented_evaluation(i), invented_context());
        store.find(invented_problem(1), invented_candidate(i), Stage::confirm, invented_context());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(store.all().size(), 40U);
}

/// How many trials the file has without the log beside it, which a power cut may take.
std::size_t trials_without_the_log(const std::filesystem::path& store) {
  const TemporaryFolder other;
  std::filesystem::copy_file(store, other.store());
  return TrialStore::open(other.store()).all().size();
}

TEST_F(TrialStoreTest, AResultSendsItsTrialsToTheFileItself) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  const auto run = store.begin_run("gemmtune tune", 1);
  EXPECT_EQ(trials_without_the_log(folder.store()), 0U) << "a single trial stays in the log";
  store.add_result(run, {.problem = invented_problem(), .winner = "toy"});
  EXPECT_EQ(trials_without_the_log(folder.store()), 1U);
}

TEST_F(TrialStoreTest, AQuarantinedCandidateDoesSoToo) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  store.quarantine({.device = "Invented CPU", .problem = invented_problem(), .candidate = invented_candidate(0)});
  EXPECT_EQ(trials_without_the_log(folder.store()), 1U);
}

// What users ask at a sqlite3 prompt.
TEST_F(TrialStoreTest, ShowsEverythingInOneView) {
  store.add(invented_problem(), invented_evaluation(), invented_context());
  SQLite::Database database(folder.store().string());
  SQLite::Statement query(
      database,
      "SELECT m, n, k, problem, candidate, json_extract(params, '$.kc'), json_array_length(samples_us),"
      " device, json_extract(libraries, '$.onednn'), json_extract(features, '$[1]') FROM trial_details");
  ASSERT_TRUE(query.executeStep());
  std::vector<std::string> cells;
  for (int i = 0; i < query.getColumnCount(); ++i) cells.push_back(query.getColumn(i).getString());
  EXPECT_EQ(cells, (std::vector<std::string>{"64", "4096", "512", to_string(invented_problem()), "toy_kc0_avx2", "0",
                                             "3", "Invented CPU", "3.4", "fma"}));
}

}  // namespace
}  // namespace gemmtune
