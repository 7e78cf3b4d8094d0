#include "gemmtune/core/clock.h"

#include <gtest/gtest.h>

#include <string>
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
  const std::string pattern = "20dd-dd-ddTdd:dd:ddZ";
  const auto now = utc_now();
  ASSERT_EQ(now.size(), pattern.size()) << now;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool digit = now[i] >= '0' && now[i] <= '9';
    EXPECT_TRUE(pattern[i] == 'd' ? digit : now[i] == pattern[i]) << now << " at " << i;
  }
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
