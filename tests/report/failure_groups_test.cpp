#include "gemmtune/report/failure_groups.h"

#include <gtest/gtest.h>

#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

Measurement failed(std::int64_t m, Outcome outcome, const std::string& reason) {
  auto measurement = timed(m, "toy", -1);
  measurement.outcome = outcome;
  measurement.reason = reason;
  return measurement;
}

TEST(FailureGroups, ReasonsThatDifferInNumbersAreOne) {
  auto over = timed(9, "asm", 1);
  over.err_ratio = 0.2;
  const auto groups = failure_groups(
      compare({failed(1, Outcome::unsupported, "K must be even, not 7"), over,
               failed(2, Outcome::unsupported, "K must be even, not 13.5"), failed(3, Outcome::crashed, "signal 11")}));
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].count, 2U);
  EXPECT_EQ(groups[0].backend, "toy");
  EXPECT_EQ(groups[0].what, "unsupported");
  EXPECT_EQ(groups[0].first.text, "K must be even, not 7");
  EXPECT_EQ(groups[1].what, "over the limit of errors");
  EXPECT_EQ(groups[2].what, "crashed");
}

TEST(FailureGroups, NoneWhereNothingFailed) { EXPECT_TRUE(failure_groups(compare({timed(1, "asm", 1)})).empty()); }

}  // namespace
}  // namespace gemmtune
