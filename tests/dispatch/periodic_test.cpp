#include "gemmtune/dispatch/periodic.h"

#include <gtest/gtest.h>

#include <atomic>

namespace gemmtune {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(Periodic, RunsAgainAndAgain) {
  std::atomic<int> runs{0};
  const Periodic periodic(milliseconds(1), [&] { ++runs; });
  const auto deadline = steady_clock::now() + std::chrono::seconds(60);
  while (runs < 3 && steady_clock::now() < deadline) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_GE(runs, 3);
}

TEST(Periodic, EndsWithoutWaitingForTheInterval) {
  const auto start = steady_clock::now();
  {
    const Periodic periodic(std::chrono::hours(1), [] {});
  }
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Periodic, NothingRunsAfterItsEnd) {
  std::atomic<int> runs{0};
  {
    const Periodic periodic(milliseconds(1), [&] { ++runs; });
  }
  const int then = runs;
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(runs, then);
}

}  // namespace
}  // namespace gemmtune
