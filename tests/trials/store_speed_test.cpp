// Resuming must take no noticeable time: a store with 100 000 trials answers for a whole shape in well under a second.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "gemmtune/trials/store.h"
#include "tests/support/cpu_seconds.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

constexpr int problem_count = 200;
constexpr int candidate_count = 250;

// One trial through the store, the rest as copies of it: 100 000 durable writes would take minutes.
void fill(const std::filesystem::path& path) {
  TrialStore::open(path).add(invented_problem(1), invented_evaluation(0), invented_context());
  SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
  SQLite::Transaction transaction(database);
  SQLite::Statement problem(database, "INSERT INTO problems (text, m, n, k, batch) VALUES (?, 1, 1, 1, 1)");
  for (int m = 2; m <= problem_count; ++m) {
    problem.bind(1, to_string(invented_problem(m)));
    problem.exec();
    problem.reset();
  }
  SQLite::Statement candidate(database,
                              "INSERT INTO candidates (family, name, params, split_k) VALUES ('toy', ?, '{}', 1)");
  for (int number = 1; number < candidate_count; ++number) {
    candidate.bind(1, invented_candidate(number).name);
    candidate.exec();
    candidate.reset();
  }
  database.exec("CREATE TEMP TABLE one AS SELECT * FROM trials");
  database.exec("UPDATE one SET id = NULL");
  for (int copy = 0; copy < 2; ++copy) {
    database.exec(
        "INSERT INTO trials SELECT one.id, time_utc, problems.id, candidates.id, library_id, context_id, device_id,"
        " stage, outcome, reason, median_us, min_us, mean_us, low_us, high_us, dispersion, sample_count, samples_us,"
        " turns, pack_us, packed_bytes, workspace_bytes, clock_mhz, throttled, err_ratio, worst_error,"
        " worst_share_of_bound, unwritten, checked, guards_intact, kernel_s, prepare_s, operands_s, reference_s,"
        " verify_s"
        " FROM one, candidates, problems");
  }
  transaction.commit();
}

TEST(BigStore, AnswersForAShapeInWellUnderASecond) {
  const TemporaryFolder folder;
  fill(folder.store());
  const TrialStore store = TrialStore::open(folder.store());
  const double start = cpu_seconds();
  for (int number = 0; number < candidate_count; ++number) {
    EXPECT_TRUE(store.find(invented_problem(150), invented_candidate(number), Stage::confirm, invented_context()));
    EXPECT_FALSE(store.find(invented_problem(150), invented_candidate(number), Stage::screen, invented_context()));
  }
  const double seconds = cpu_seconds() - start;
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 0.5) << "for " << candidate_count << " candidates among " << 2 * problem_count * candidate_count;
  EXPECT_EQ(store.of(invented_problem(150)).size(), 2U * candidate_count);
  EXPECT_LT(std::filesystem::file_size(folder.store()), 50'000'000U) << "500 bytes a trial";
}

}  // namespace
}  // namespace gemmtune
