#include "gemmtune/tune/evidence.h"

#include <gtest/gtest.h>

#include "tests/search/toy_space.h"

namespace gemmtune {
namespace {

class EvidenceTest : public testing::Test {
 protected:
  void add(const Batch& batch, const std::vector<Evaluation>& evaluations) {
    evidence.begin(batch);
    for (const auto& evaluation : evaluations) evidence.add(evaluation);
  }

  std::vector<double> times() const {
    std::vector<double> found;
    for (const auto& evaluation : evidence.decisive()) found.push_back(evaluation.timing.median_us);
    return found;
  }

  const std::vector<Candidate> c = toy_candidates(3);
  const Batch screening{.stage = Stage::screen};
  const Batch round{.stage = Stage::confirm, .samples = 8};
  const Batch final_batch{.stage = Stage::confirm};
  Evidence evidence;
};

TEST_F(EvidenceTest, RoundsDoNotCountOnceThereIsMore) {
  add(screening, {timed(c[0], Stage::screen, 10), timed(c[1], Stage::screen, 11)});
  add(round, {timed(c[0], Stage::confirm, 5), timed(c[1], Stage::confirm, 6)});
  add(final_batch, {timed(c[1], Stage::confirm, 12)});
  EXPECT_EQ(times(), (std::vector<double>{10, 11, 12}));
}

TEST_F(EvidenceTest, TheLastRoundStandsForAConfirmationThatNeverCame) {
  add(screening, {timed(c[0], Stage::screen, 10)});
  add(round, {timed(c[0], Stage::confirm, 5), timed(c[1], Stage::confirm, 6)});
  add(round, {timed(c[1], Stage::confirm, 7)});
  EXPECT_EQ(times(), (std::vector<double>{10, 7}));
}

TEST_F(EvidenceTest, FailuresOfRoundsAlwaysCount) {
  add(round, {failed(c[0], Stage::confirm, Outcome::wrong_result)});
  add(final_batch, {timed(c[1], Stage::confirm, 12)});
  ASSERT_EQ(evidence.decisive().size(), 2U);
  EXPECT_EQ(evidence.decisive().front().outcome, Outcome::wrong_result);
}

}  // namespace
}  // namespace gemmtune
