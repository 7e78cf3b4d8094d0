#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/trials/store.h"
#include "tests/trials/invented_trials.h"

namespace gemmtune {
namespace {

class AbsorbTest : public testing::Test {
 protected:
  TemporaryFolder here_folder;
  TemporaryFolder there_folder;
  TrialStore here = TrialStore::open(here_folder.store());
  std::filesystem::path there = there_folder.store();

  static Problem other_problem() {
    auto problem = invented_problem();
    problem.m += 1;
    return problem;
  }

  static Evaluation crashed(int number) {
    auto evaluation = invented_evaluation(number);
    evaluation.outcome = Outcome::crashed;
    return evaluation;
  }

  static Quarantined entry_for(int number) {
    return {.device = model_of(invented_context().device),
            .problem = invented_problem(),
            .candidate = invented_candidate(number),
            .reason = "killed by signal 11"};
  }
};

TEST_F(AbsorbTest, CopiesTrialsWithTheirTimeAndDeviceOnce) {
  {
    auto store = TrialStore::open(there);
    for (int i = 0; i < 3; ++i) store.add(invented_problem(), invented_evaluation(i), invented_context());
    store.quarantine(entry_for(7));
  }
  here.add(other_problem(), invented_evaluation(1), invented_context());
  const auto first = here.absorb(there);
  EXPECT_EQ(first.trials, 3);
  EXPECT_EQ(first.quarantined, 1);
  const auto again = here.absorb(there);
  EXPECT_EQ(again.trials, 0);
  EXPECT_EQ(again.quarantined, 0);
  const auto all = here.all();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].problem, other_problem());
  EXPECT_EQ(all[3].evaluation.candidate, invented_candidate(2));
  EXPECT_EQ(all[3].context.device, invented_context().device);
  EXPECT_EQ(all[3].time_utc, TrialStore::open_read_only(there).all()[2].time_utc);
  EXPECT_TRUE(here.find(invented_problem(), invented_candidate(2), all[3].evaluation.stage, invented_context()));
}

TEST_F(AbsorbTest, TakesTheProblemsThatAreAskedFor) {
  {
    auto store = TrialStore::open(there);
    store.add(invented_problem(), invented_evaluation(0), invented_context());
    store.add(other_problem(), invented_evaluation(0), invented_context());
    store.quarantine(entry_for(7));
  }
  const auto absorbed = here.absorb(there, {other_problem()});
  EXPECT_EQ(absorbed.trials, 1);
  EXPECT_EQ(absorbed.quarantined, 0);
  EXPECT_EQ(here.all().front().problem, other_problem());
}

TEST_F(AbsorbTest, LeavesOutCrashesThatWereLifted) {
  {
    auto store = TrialStore::open(there);
    store.add(invented_problem(), crashed(7), invented_context());
    store.quarantine(entry_for(7));
    store.lift(store.quarantined().front());
    store.add(invented_problem(), crashed(8), invented_context());
  }
  EXPECT_EQ(here.absorb(there).trials, 1);
  EXPECT_EQ(here.all().front().evaluation.candidate, invented_candidate(8));
}

TEST_F(AbsorbTest, RefusesWhatIsNoStore) {
  write_file_atomically(there, "M,N,K\n");
  EXPECT_THROW(here.absorb(there), Error);
  EXPECT_TRUE(here.all().empty());
}

}  // namespace
}  // namespace gemmtune
