// One damaged cell costs its row and no other. Each row is a cell and what it may hold after a fault or an edit.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Damage {
  const char* name{};
  const char* statement{};
  const char* named{};  // what the report says
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.statement; }

/// Two trials, of which the second one has a candidate, a problem, a context and a device of its own.
class DamagedStore : public testing::TestWithParam<Damage> {
 protected:
  DamagedStore() {
    auto store = TrialStore::open(folder_.store());
    store.add(invented_problem(), invented_evaluation(), invented_context());
    store.add(invented_problem(7), invented_evaluation(1), other_context());
    store.quarantine({.device = "a", .problem = invented_problem(), .candidate = invented_candidate(0)});
    store.quarantine({.device = "a", .problem = invented_problem(9), .candidate = invented_candidate(3)});
    const auto run = store.begin_run("gemmtune tune", 2);
    for (const int m : {64, 8}) store.add_result(run, {.problem = invented_problem(m)});
  }

  static TrialContext other_context() {
    auto context = invented_context();
    context.device.name = "Another CPU";
    context.policy.seed += 1;
    return context;
  }

  void execute(const std::string& statement) const {
    SQLite::Database(folder_.store().string(), SQLite::OPEN_READWRITE).exec(statement);
  }

  TemporaryFolder folder_;
};

TEST_P(DamagedStore, LosesOneRow) {
  execute(GetParam().statement);
  const auto store = TrialStore::open_read_only(folder_.store());
  const auto trials = store.all();
  const auto entries = store.quarantined();
  const auto results = store.results(1);
  EXPECT_EQ(trials.size() + entries.size() + results.size(), 5U);
  ASSERT_FALSE(trials.empty());
  EXPECT_EQ(trials[0].problem, invented_problem());
  ASSERT_EQ(store.damaged().size(), 1U);
  EXPECT_THAT(to_string(store.damaged()[0]), HasSubstr(GetParam().named));
}

TEST_P(DamagedStore, IsFoundByACheck) {
  EXPECT_THAT(TrialStore::open_read_only(folder_.store()).check(), IsEmpty());
  execute(GetParam().statement);
  EXPECT_THAT(TrialStore::open_read_only(folder_.store()).check(), ElementsAre(HasSubstr(GetParam().named)));
}

TEST_P(DamagedStore, IsWrittenOn) {
  execute(GetParam().statement);
  auto store = TrialStore::open(folder_.store());
  store.times(invented_context().device);
  static_cast<void>(store.find(invented_problem(7), invented_candidate(1), Stage::confirm, other_context()));
  store.add(invented_problem(11), invented_evaluation(), invented_context());
  EXPECT_EQ(store.of(invented_problem(11)).size(), 1U);
}

const std::vector<Damage> damages{
    {"samples_cut_off", "UPDATE trials SET samples_us = '[9.9, 10' WHERE id = 2", "row 2 of trials: it has samples"},
    {"samples_of_text", "UPDATE trials SET samples_us = '[\"a\"]' WHERE id = 2", "that cannot be read: '[\"a\"]'"},
    {"turns", "UPDATE trials SET turns = '{' WHERE id = 2", "row 2 of trials: it has turns"},
    {"more_turns", "UPDATE trials SET turns = '[2, 2]' WHERE id = 2", "its turns do not add up to its 3 samples"},
    {"turns_below_zero", "UPDATE trials SET turns = '[4, -1]' WHERE id = 2",
     "row 2 of trials: its turns do not add up"},
    {"outcome", "UPDATE trials SET outcome = 'splendid' WHERE id = 2", "row 2 of trials: it has the unknown word"},
    {"stage", "UPDATE trials SET stage = '' WHERE id = 2", "row 2 of trials"},
    {"parameters", "UPDATE candidates SET params = 'x' WHERE name LIKE 'toy_kc1%'", "row 2 of trials: it has param"},
    {"problem", "UPDATE problems SET text = '7xx' WHERE m = 7", "row 2 of trials"},
    {"device_kind", "UPDATE devices SET kind = 'tpu' WHERE name LIKE 'Another%'", "unknown kind 'tpu'"},
    {"features", "UPDATE devices SET features = '{}}' WHERE name LIKE 'Another%'", "it has features"},
    {"libraries", "UPDATE devices SET libraries = '[1]' WHERE name LIKE 'Another%'", "it has libraries"},
    {"policy", "UPDATE contexts SET policy_stage = 'x' WHERE id = 2", "the unknown stage 'x'"},
    {"escapes", "UPDATE trials SET outcome = char(27) || '[31m' WHERE id = 2", "'\\x1b[31m'"},
    {"bytes", "UPDATE problems SET text = '7x' || CAST(x'fd1b' AS TEXT) WHERE m = 7", "\\xfd\\x1b"},
    {"quarantine", "UPDATE quarantine SET outcome = 'x' WHERE id = 2", "row 2 of quarantine"},
    {"quarantined_problem", "UPDATE problems SET text = '' WHERE m = 9", "row 2 of quarantine"},
    {"result", "UPDATE problems SET text = '8x' WHERE m = 8", "row 2 of run_results"},
};

INSTANTIATE_TEST_SUITE_P(Cells, DamagedStore, testing::ValuesIn(damages),
                         [](const auto& tested) { return tested.param.name; });

TEST(StoreCheck, FindsReferencesToNothing) {
  const TemporaryFolder folder;
  TrialStore::open(folder.store()).add(invented_problem(), invented_evaluation(), invented_context());
  SQLite::Database(folder.store().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM problems");
  EXPECT_THAT(TrialStore::open_read_only(folder.store()).check(),
              ElementsAre(AllOf(HasSubstr("row 1 of trials"), HasSubstr("problems"))));
}

}  // namespace
}  // namespace gemmtune
