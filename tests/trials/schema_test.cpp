#include "gemmtune/trials/schema.h"

#include <gtest/gtest.h>

#include "tests/trials/old_stores.h"

namespace gemmtune {
namespace {

class OldStore : public testing::TestWithParam<int> {
 protected:
  OldStore() { make_old(folder_.store(), GetParam()); }

  int version() const {
    SQLite::Database database(folder_.store().string(), SQLite::OPEN_READONLY);
    return database.execAndGet("PRAGMA user_version").getInt();
  }

  TemporaryFolder folder_;
};

TEST_P(OldStore, IsReadAsItStands) {
  const auto store = TrialStore::open_read_only(folder_.store());
  for (const auto& trials : {store.all(), store.of(invented_problem())}) {
    ASSERT_EQ(trials.size(), 1U);
    EXPECT_EQ(trials[0].evaluation.timing.samples_us, invented_evaluation().timing.samples_us);
    EXPECT_EQ(trials[0].context.policy, invented_context().policy);
  }
  EXPECT_EQ(store.times(invented_context().device).size(), 1U);
  EXPECT_EQ(version(), GetParam());
}

/// Samples of which no turns were kept are of one turn, for all that is known.
TEST_P(OldStore, HasNoTurns) {
  if (GetParam() >= 4) GTEST_SKIP() << "this version keeps them";
  EXPECT_TRUE(TrialStore::open_read_only(folder_.store()).all().at(0).evaluation.timing.turns.empty());
  const auto store = TrialStore::open(folder_.store());
  EXPECT_TRUE(store.all().at(0).evaluation.timing.turns.empty());
}

TEST_P(OldStore, HasResultsWithoutClaims) {
  const std::size_t kept = GetParam() < 2 ? 0 : 1;
  EXPECT_EQ(TrialStore::open_read_only(folder_.store()).results(1).size(), kept);
  auto store = TrialStore::open(folder_.store());
  store.add_result(1, {.problem = invented_problem(7), .winner = "a", .claim = "no claim, since x"});
  const auto results = store.results(1);
  ASSERT_EQ(results.size(), kept + 1);
  if (kept > 0) {
    EXPECT_EQ(results.front().claim, "");
    EXPECT_EQ(results.front().weight, 1);
    EXPECT_EQ(results.front().high_us, 0);
  }
  EXPECT_EQ(results.back().claim, "no claim, since x");
}

/// Trials from before cold instructions were known count as measured without them.
TEST_P(OldStore, HasItsTrialsFoundAgain) {
  const auto find = [&](const TrialStore& store, const TrialContext& context) {
    return store.find(invented_problem(), invented_candidate(), Stage::confirm, context).has_value();
  };
  auto cold = invented_context();
  cold.policy.measure.cold_instructions = true;
  EXPECT_TRUE(find(TrialStore::open_read_only(folder_.store()), invented_context()));
  EXPECT_FALSE(find(TrialStore::open_read_only(folder_.store()), cold));
  const auto store = TrialStore::open(folder_.store());
  EXPECT_TRUE(find(store, invented_context()));
  EXPECT_FALSE(find(store, cold));
}

TEST_P(OldStore, IsBroughtUpToDateWhenItIsWritten) {
  auto cold = invented_context();
  cold.policy.measure.cold_instructions = true;
  TrialStore::open(folder_.store()).add(invented_problem(), invented_evaluation(1), cold);
  EXPECT_EQ(version(), schema_version);
  for (const auto open : {&TrialStore::open_read_only, &TrialStore::open}) {
    const auto trials = open(folder_.store()).all();
    ASSERT_EQ(trials.size(), 2U);
    EXPECT_EQ(trials[0].context.policy, invented_context().policy);
    EXPECT_EQ(trials[1].context.policy, cold.policy);
    EXPECT_EQ(trials[1].evaluation.timing.turns, invented_evaluation().timing.turns);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, OldStore, testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace gemmtune
