#include "gemmtune/tune/device_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<DeviceComparison> comparisons(std::vector<double> times_us) { return compare_devices(times_us); }

TEST(CompareDevices, HasNothingToSayOfEqualsAndOfASingleOne) {
  EXPECT_THAT(comparisons({100}), ElementsAre(DeviceComparison{}));
  EXPECT_THAT(comparisons({100, 102}), ElementsAre(DeviceComparison{}, DeviceComparison{}));
  EXPECT_THAT(comparisons({100, 0}), ElementsAre(DeviceComparison{}, DeviceComparison{})) << "the second has no time";
}

TEST(CompareDevices, RemarksOnTheSlowAndGivesUpTheTooSlow) {
  const auto two = comparisons({100, 105});
  EXPECT_EQ(two[0], DeviceComparison{});
  EXPECT_FALSE(two[1].too_slow);
  EXPECT_EQ(two[1].remark, "takes 105.0 us for work that the others do in 100.0 us: 5 % slower");
  const auto four = comparisons({100, 101, 150, 99});
  EXPECT_THAT((std::array{four[0], four[1], four[3]}), testing::Each(DeviceComparison{}));
  EXPECT_TRUE(four[2].too_slow);
  EXPECT_THAT(four[2].remark, HasSubstr("50 % slower"));
}

TEST(RollCallShape, IsTheLargestOfReasonableWork) {
  const auto shape = [](std::int64_t size) { return Shape{.problem = {.m = size, .n = size, .k = size}}; };
  EXPECT_EQ(device_check_shape(std::array{shape(64), shape(8192), shape(512), shape(32768)}).problem.m, 8192);
  EXPECT_EQ(device_check_shape(std::array{shape(65536), shape(32768)}).problem.m, 32768);
}

TEST(DeviceCheck, WaitsForAllButThoseWhoLeft) {
  DeviceCheck device_check(3);
  std::array<DeviceComparison, 2> comparisons;
  {
    std::jthread first([&] { comparisons[0] = device_check.answer(0, 100); });
    std::jthread second([&] { comparisons[1] = device_check.answer(1, 200); });
    device_check.leave(2);
  }
  EXPECT_EQ(comparisons[0].remark, "");
  EXPECT_TRUE(comparisons[1].too_slow);
}

/// A run in which worker 1 gets its answers from a world of its own.
WorkerFactory unequal_workers(FakeWorld& slow, FakeWorld& usual) {
  return [&](std::size_t worker) {
    return std::make_unique<FakeEvaluator>(worker == 1 ? slow : usual, static_cast<int>(worker));
  };
}

struct UnequalRun {
  FakeRun run;
  FakeWorld slow;

  explicit UnequalRun(double slowness) {
    run.workers = 2;
    run.plan.compare_devices = true;
    run.plan.shapes = shapes_of(6);
    run.world.candidates = slow.candidates = numbered_candidates(3);
    run.world.answer = [](const Problem& p, const Candidate& c, Stage stage) {
      return answered(c, stage, told_time_us(p, c));
    };
    slow.answer = [slowness](const Problem& p, const Candidate& c, Stage stage) {
      return answered(c, stage, slowness * told_time_us(p, c));
    };
  }
};

TEST(Tune, DoesWithoutADeviceThatIsMuchSlowerThanTheOthers) {
  UnequalRun unequal(1.5);
  const auto report = unequal.run.run_with(unequal_workers(unequal.slow, unequal.run.world));
  ASSERT_THAT(unequal.run.observer.lost, SizeIs(1));
  EXPECT_THAT(unequal.run.observer.lost[0], HasSubstr("1: its device takes"));
  EXPECT_EQ(unequal.slow.evaluation_count(), 1U) << "only what the roll call asks for";
  for (const auto& result : report.results) EXPECT_TRUE(result.winner) << result.why_failed;
}

TEST(Tune, RemarksOnADeviceThatIsALittleSlower) {
  UnequalRun unequal(1.05);
  const auto report = unequal.run.run_with(unequal_workers(unequal.slow, unequal.run.world));
  EXPECT_THAT(unequal.run.observer.lost, SizeIs(0));
  EXPECT_THAT(unequal.run.observer.remarks, ElementsAre(HasSubstr("1: takes")));
}

/// Worker 1 crashes with everything.
TEST(Tune, GivesUpADeviceOnWhichEverythingCrashes) {
  UnequalRun unequal(1);
  unequal.run.plan.compare_devices = false;
  unequal.run.plan.shapes = shapes_of(40);
  unequal.run.world.takes = std::chrono::milliseconds(5);  // so that the other one gets its shapes
  unequal.slow.answer = [](const Problem&, const Candidate& c, Stage stage) {
    return refused(c, stage, Outcome::crashed);
  };
  const auto report = unequal.run.run_with(unequal_workers(unequal.slow, unequal.run.world));
  ASSERT_THAT(unequal.run.observer.lost, SizeIs(1));
  EXPECT_EQ(unequal.run.observer.lost[0], "1: all candidates crashed or hung for 3 shapes in a row");
  EXPECT_EQ(std::count_if(report.results.begin(), report.results.end(), [](const auto& r) { return !r.winner; }), 3);
}

TEST(Tune, KeepsOneDeviceWhenEverythingCrashesOnAll) {
  FakeRun run;
  run.workers = 3;
  run.plan.shapes = shapes_of(60);
  run.world.candidates = numbered_candidates(2);
  run.world.takes = std::chrono::milliseconds(1);  // so that all of them are at work
  run.world.answer = [](const Problem&, const Candidate& c, Stage stage) {
    return refused(c, stage, Outcome::crashed);
  };
  const auto report = run.run();
  EXPECT_THAT(run.observer.lost, SizeIs(2));
  EXPECT_THAT(report.results.back().why_failed, HasSubstr("crashed"));
}

TEST(Tune, KeepsTheLastDeviceWhateverHappensOnIt) {
  FakeRun run;
  run.plan.shapes = shapes_of(5);
  run.world.candidates = numbered_candidates(2);
  run.world.answer = [](const Problem&, const Candidate& c, Stage stage) {
    return refused(c, stage, Outcome::crashed);
  };
  const auto report = run.run();
  EXPECT_THAT(run.observer.lost, SizeIs(0));
  EXPECT_THAT(report.results.back().why_failed, HasSubstr("crashed"));
}

}  // namespace
}  // namespace gemmtune
