#include "gemmtune/replay/drawn_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace gemmtune {
namespace {

std::vector<double> drawn(DrawingTimer& timer, std::int64_t count) {
  return timer.time_us({[](std::int64_t) {}}, 0, count);
}

TEST(DrawingTimer, DrawsLaunchesThatFollowEachOtherFromOneTurn) {
  std::mt19937_64 engine(1);
  DrawingTimer timer(engine);
  const Samples samples{.us = {1, 2, 3, 10, 20}, .turns = {3, 2}};
  timer.use(samples);
  int fast = 0;
  for (int turn = 0; turn < 100; ++turn) {
    timer.go_on();
    const auto times = drawn(timer, 6);
    const bool is_fast = times.front() < 10;
    fast += is_fast ? 1 : 0;
    EXPECT_TRUE(std::ranges::all_of(times, [&](double us) { return (us < 10) == is_fast; }));
  }
  EXPECT_NEAR(fast, 50, 25) << "both turns are drawn";
}

TEST(DrawingTimer, DrawsTurnsOfOneMomentForAllKernels) {
  std::mt19937_64 engine(1);
  DrawingTimer timer(engine);
  const Samples a{.us = {1, 10}, .turns = {1, 1}};
  const Samples b{.us = {2, 2, 20, 20}, .turns = {1, 1, 1, 1}};
  for (int moment = 0; moment < 100; ++moment) {
    timer.go_on();
    timer.use(a);
    const double of_a = drawn(timer, 1).front();
    timer.use(b);
    EXPECT_EQ(drawn(timer, 1).front(), 2 * of_a);
  }
}

TEST(DrawingTimer, DrawsFromAllSamplesWhereTheTurnsAreNotKnown) {
  std::mt19937_64 engine(1);
  DrawingTimer timer(engine);
  const Samples samples{.us = {1, 10}};
  timer.use(samples);
  const auto times = drawn(timer, 100);
  EXPECT_NEAR(std::accumulate(times.begin(), times.end(), 0.0), 550, 250);
  EXPECT_NEAR(timer.take_spent_s(), std::accumulate(times.begin(), times.end(), 0.0) / 1e6, 1e-12);
}

}  // namespace
}  // namespace gemmtune
