#include "gemmtune/device/cpu/cpu_timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

using Clock = std::chrono::steady_clock;

void spin_us(double time_us) {
  const auto end = Clock::now() + std::chrono::duration<double, std::micro>(time_us);
  while (Clock::now() < end) {
  }
}

TEST(CpuTimer, LaunchesEachIndexOnceInOrder) {
  for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::int64_t> seen;
    const auto times = CpuTimer().time_us({[&](std::int64_t i) { seen.push_back(i); }}, 5, count);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), 5);
    EXPECT_EQ(seen, expected) << count;
    EXPECT_EQ(times.size(), expected.size());
  }
}

TEST(CpuTimer, LongLaunchesAreTimedSingly) {
  const auto times = CpuTimer().time_us({[](std::int64_t i) { spin_us(i == 2 ? 4000.0 : 200.0); }}, 0, 4);
  ASSERT_EQ(times.size(), 4U);
  for (const double time : times) EXPECT_GE(time, 200.0);
  EXPECT_GE(times[2], 4000.0);
}

TEST(CpuTimer, ShortLaunchesShareABlock) {
  int launches = 0;
  const auto times = CpuTimer().time_us({[&](std::int64_t) { ++launches; }}, 0, 20000);
  EXPECT_EQ(launches, 20000);
  int equal = 0;
  for (std::size_t i = 1; i < times.size(); ++i) equal += times[i] == times[i - 1] ? 1 : 0;
  EXPECT_GT(equal, 15000);
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

TEST(CpuTimer, TheSumIsTheWallTime) {
  const auto start = Clock::now();
  const auto times = CpuTimer().time_us({[](std::int64_t) { spin_us(1.0); }}, 0, 500);
  const double wall_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  EXPECT_GE(sum, 500.0);
  EXPECT_LE(sum, wall_us * 1.001);
}

}  // namespace
}  // namespace gemmtune
