#include "gemmtune/cli/duration.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(Duration, ReadsWhatPeopleType) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("10m"), 600);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration("0.5h"), 1800);
  EXPECT_EQ(parse_duration("1h2m3s"), 3723);
}

TEST(Duration, RefusesTheRest) {
  for (const auto* text :
       {"", "0", "0s", "-5m", "h", "5x", "5 m", "1h30", "m5", "1e400", "nan", "inf", "1..5s", "10min"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

}  // namespace
}  // namespace gemmtune
