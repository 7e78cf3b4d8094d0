#include "gemmtune/device/cpu/cpu_timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using Clock = std::chrono::steady_clock;

void spin_us(double time_us) {
  const auto end = Clock::now() + std::chrono::duration<double, std::micro>(time_us);
  while (Clock::now() < end) {
  }
}

/// However long they are.
TEST(CpuTimer, LaunchesEachIndexOnceInOrderAndReturnsAsManyTimesAsAskedFor) {
  for (const double launch_us : {0.0, 0.5, 5.0})
    for (const std::int64_t count : {0, 1, 2, 7, 100}) {
      std::vector<std::int64_t> seen;
      const auto launch = [&](std::int64_t i) {
        seen.push_back(i);
        spin_us(launch_us);
      };
      EXPECT_EQ(CpuTimer().time_us({launch}, 5, count).size(), static_cast<std::size_t>(count));
      std::vector<std::int64_t> expected(seen.size());
      std::iota(expected.begin(), expected.end(), 5);
      EXPECT_EQ(seen, expected) << count << " of " << launch_us << " us";
      EXPECT_GE(std::ssize(seen), count);
    }
}

TEST(CpuTimer, LongLaunchesAreTimedSingly) {
  const auto times = CpuTimer().time_us({[](std::int64_t i) { spin_us(i % 2 == 0 ? 200.0 : 4000.0); }}, 0, 9);
  ASSERT_EQ(times.size(), 9U);
  for (const double time : times) EXPECT_GE(time, 200.0);
  // One that the system interrupts for long is left out.
  EXPECT_GE(std::ranges::count_if(times, [](double time) { return time >= 4000.0; }), 1);
}

/// A time that is copied looks like many that agree, and its interval has no width.
TEST(CpuTimer, EachTimeOfShortLaunchesIsAMeasurementOfItsOwn) {
  std::int64_t launches = 0;
  const auto launch = [&](std::int64_t) {
    ++launches;
    spin_us(0.5);
  };
  const auto times = CpuTimer().time_us({launch}, 0, 100);
  EXPECT_GT(launches, 300) << "a mean of several launches, unless others used the core throughout";
  int changes = 0;
  for (std::size_t i = 1; i < times.size(); ++i) changes += times[i] != times[i - 1] ? 1 : 0;
  EXPECT_GT(changes, 25) << "clocks count nanoseconds: some times agree by chance";
}

/// As when the process is stopped for a while.
TEST(CpuTimer, ATimeInWhichTheProcessDidNotRunIsTakenAgain) {
  int launches = 0;
  const auto launch = [&](std::int64_t) {
    if (++launches == 2) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    spin_us(50);
  };
  const auto times = CpuTimer().time_us({launch}, 0, 3);
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(launches, 4);
  for (const double time : times) EXPECT_LT(time, 200'000);
}

TEST(CpuTimer, ALaunchThatAlwaysWaitsIsTimed) {
  const auto times =
      CpuTimer().time_us({[](std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }}, 0, 2);
  ASSERT_EQ(times.size(), 2U);
  for (const double time : times) EXPECT_GE(time, 30'000);
}

TEST(CpuTimer, RefusesColdInstructionsBeforeAnyLaunch) {
  int launches = 0;
  try {
    CpuTimer().time_us({.run = [&](std::int64_t) { ++launches; }, .cold_instructions = true}, 0, 3);
    ADD_FAILURE() << "it was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_EQ(std::string(error.what()), why_not_cold_instructions(DeviceKind::cpu));
  }
  EXPECT_EQ(launches, 0);
}

TEST(CpuTimer, NoTimeIsLessThanItsLaunchesTookNorTheirSumMoreThanTheWallTime) {
  const auto start = Clock::now();
  const auto times = CpuTimer().time_us({[](std::int64_t) { spin_us(1.0); }}, 0, 50);
  const double wall_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  for (const double time : times) EXPECT_GE(time, 1.0);
  EXPECT_LE(std::accumulate(times.begin(), times.end(), 0.0), wall_us * 1.001);
}

}  // namespace
}  // namespace gemmtune
