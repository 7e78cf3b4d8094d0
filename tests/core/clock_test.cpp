#include "gemmtune/core/clock.h"

#include <gtest/gtest.h>

#include <regex>
#include <thread>

namespace gemmtune {
namespace {

TEST(Clock, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(human_duration(0.4), "0 s");
  EXPECT_EQ(human_duration(45), "45 s");
  EXPECT_EQ(human_duration(59.7), "1 min 00 s");
  EXPECT_EQ(human_duration(200), "3 min 20 s");
  EXPECT_EQ(human_duration(7500), "2 h 05 min");
}

TEST(Clock, UtcIsIso8601) {
  EXPECT_TRUE(std::regex_match(utc_now(), std::regex(R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))) << utc_now();
}

TEST(Clock, ScopedSecondsAddsUp) {
  double total = 1;
  {
    const ScopedSeconds scope(total);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GE(total, 1.02);
}

}  // namespace
}  // namespace gemmtune
