#include "gemmtune/measure/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <thread>

#include "tests/measure/invented_samples.h"

namespace gemmtune {
namespace {

/// Says what each launch took instead of waiting for it; the launches themselves say who ran.
class ScriptedTimer final : public Timer {
 public:
  explicit ScriptedTimer(std::function<double(std::size_t)> script) : script_(std::move(script)) {}

  std::vector<double> time_us(const Launch& launch, std::int64_t first, std::int64_t count) override {
    std::vector<double> times;
    for (std::int64_t i = first; i < first + count; ++i) {
      launch(i);
      times.push_back(script_(current_));
    }
    return times;
  }

  /// A launch that reports its name and index.
  Launch named(std::size_t who) {
    return {[this, who](std::int64_t index) {
      current_ = who;
      log_.emplace_back(who, index);
    }};
  }

  const std::vector<std::pair<std::size_t, std::int64_t>>& log() const { return log_; }

 private:
  std::function<double(std::size_t)> script_;
  std::size_t current_{};
  std::vector<std::pair<std::size_t, std::int64_t>> log_;
};

MeasurePolicy policy(std::int64_t warmup, std::int64_t min, std::int64_t max) {
  return {.warmup = warmup, .min_samples = min, .max_samples = max, .max_sampling_s = 1e9, .target_dispersion = 0};
}

TEST(Sample, WarmsUpThenTakesAllWithIndicesThatCountOn) {
  ScriptedTimer timer([](std::size_t) { return 100.0; });
  EXPECT_EQ(sample(timer, timer.named(0), policy(4, 3, 37)).us.size(), 37u);
  ASSERT_EQ(timer.log().size(), 41u);
  for (std::size_t i = 0; i < 41; ++i) EXPECT_EQ(timer.log()[i].second, static_cast<std::int64_t>(i));
}

TEST(Sample, WarmUpIsNotCounted) {
  int launches = 0;
  ScriptedTimer timer([&](std::size_t) { return launches++ < 5 ? 9999.0 : 100.0; });
  for (const double sample_us : sample(timer, timer.named(0), policy(5, 3, 10)).us) EXPECT_EQ(sample_us, 100);
}

TEST(Sample, StopsWithTheRule) {
  ScriptedTimer timer([](std::size_t) { return 100.0; });
  auto steady = policy(1, 3, 101);
  steady.target_dispersion = 0.01;
  const auto samples = sample(timer, timer.named(0), steady);
  EXPECT_EQ(samples.turns, (std::vector<std::size_t>{2, 2})) << "no turn of a single one, for which a graph is no use";
}

TEST(Sample, TheMinimumTakesTwoTurns) {
  for (const std::int64_t minimum : {2, 4, 11, 12, 40}) {
    ScriptedTimer timer([](std::size_t) { return 100.0; });
    auto steady = policy(1, minimum, 101);
    steady.target_dispersion = 0.01;
    const auto samples = sample(timer, timer.named(0), steady);
    EXPECT_EQ(samples.turns.size(), 2U) << minimum;
    EXPECT_EQ(std::ssize(samples.us), std::max<std::int64_t>(minimum, 4)) << minimum;
  }
}

TEST(Sample, LongLaunchesDoNotOvershootTheBudget) {
  ScriptedTimer timer([](std::size_t) { return 30'000.0; });
  auto brief = policy(1, 3, 101);
  brief.max_sampling_s = 0.2;
  EXPECT_EQ(sample(timer, timer.named(0), brief).us.size(), 7u);
}

TEST(Sample, LongLaunchesAreGivenUpOneByOne) {
  ScriptedTimer timer([](std::size_t) { return 30'000.0; });
  const auto brief = policy(1, 3, 101);
  EXPECT_EQ(sample(timer, timer.named(0), brief, *make_stop_rule(brief, 10'000)).us.size(), 1u);
}

TEST(Sample, ShortLaunchesAreGivenUpAfterATurn) {
  ScriptedTimer timer([](std::size_t) { return 30.0; });
  const auto brief = policy(1, 3, 101);
  EXPECT_EQ(sample(timer, timer.named(0), brief, *make_stop_rule(brief, 10)).us.size(), 2u) << "one turn";
}

TEST(Sample, NothingWantedNothingRun) {
  ScriptedTimer timer([](std::size_t) { return 100.0; });
  EXPECT_TRUE(sample(timer, timer.named(0), policy(0, 0, 0)).us.empty());
  EXPECT_TRUE(timer.log().empty());
}

/// A launch in a graph looks short however long the graph takes to make.
TEST(RunInTurns, GoesByTheHostsClock) {
  ScriptedTimer timer([](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 1.0;
  });
  const std::vector<Timer::Launch> launches{timer.named(0), timer.named(1)};
  std::size_t blocks = 0;
  run_in_turns(timer, launches, 50'000, [&](std::size_t i) { EXPECT_EQ(i, blocks++ % 2); });
  EXPECT_GE(blocks, 1u);
  EXPECT_LE(blocks, 7u) << "of 8 launches of a millisecond each";
  EXPECT_EQ(timer.log().size(), 8 * blocks);
}

struct Interleaved {
  std::vector<Samples> samples{};
  std::vector<std::size_t> blocks{};  // who was announced, in order
};

Interleaved interleave(ScriptedTimer& timer, std::size_t count, const MeasurePolicy& measure,
                       Clock clock = Clock::nothing) {
  std::vector<Timer::Launch> launches;
  for (std::size_t i = 0; i < count; ++i) launches.push_back(timer.named(i));
  Interleaved result;
  result.samples =
      sample_interleaved(timer, launches, measure, clock, [&](std::size_t i) { result.blocks.push_back(i); });
  return result;
}

TEST(SampleInterleaved, EachGetsItsSamplesAndItsIndicesCountOn) {
  ScriptedTimer timer([](std::size_t who) { return 100.0 * static_cast<double>(who + 1); });
  const auto result = interleave(timer, 3, policy(2, 3, 50));
  for (std::size_t who = 0; who < 3; ++who) {
    EXPECT_EQ(result.samples[who].us, std::vector<double>(50, 100.0 * static_cast<double>(who + 1)));
    std::int64_t next = 0;
    for (const auto& [ran, index] : timer.log()) {
      if (ran != who) continue;
      EXPECT_EQ(index, next++);
    }
  }
}

TEST(SampleInterleaved, RoundsAlternateTheirOrder) {
  ScriptedTimer timer([](std::size_t) { return 100.0; });
  const auto blocks = interleave(timer, 3, policy(0, 4, 24)).blocks;
  const std::vector<std::size_t> start(blocks.begin(), blocks.begin() + 6);
  EXPECT_EQ(start, (std::vector<std::size_t>{0, 1, 2, 2, 1, 0}));
}

TEST(SampleInterleaved, NobodyRunsUnannounced) {
  ScriptedTimer timer([](std::size_t) { return 100.0; });
  std::vector<Timer::Launch> launches{timer.named(0), timer.named(1)};
  std::size_t announced = 99;
  std::size_t checked = 0;
  sample_interleaved(timer, launches, policy(3, 4, 40), Clock::nothing, [&](std::size_t i) {
    for (; checked < timer.log().size(); ++checked) EXPECT_EQ(timer.log()[checked].first, announced);
    announced = i;
  });
  EXPECT_GT(checked, 0u);
}

TEST(SampleInterleaved, TheLaunchAfterEachChangeIsNotCounted) {
  std::size_t last = 99;
  ScriptedTimer timer([&](std::size_t who) { return std::exchange(last, who) == who ? 100.0 : 500.0; });
  for (const auto& samples : interleave(timer, 4, policy(1, 4, 60)).samples)
    EXPECT_EQ(samples.us, std::vector<double>(60, 100.0));
}

/// How many launches of the first of two pass before each of its blocks of samples.
std::vector<std::size_t> not_counted(double launch_us, Clock clock) {
  ScriptedTimer timer([&](std::size_t) { return launch_us; });
  const std::vector<Timer::Launch> launches{timer.named(0), timer.named(1)};
  std::vector<std::pair<std::size_t, std::size_t>> begun;  // whose block, and after how many launches
  const auto samples = sample_interleaved(timer, launches, policy(2, 4, 20), clock,
                                          [&](std::size_t i) { begun.emplace_back(i, timer.log().size()); });
  begun.emplace_back(1, timer.log().size());
  std::vector<std::size_t> before;
  for (std::size_t i = 0; i + 1 < begun.size(); ++i)
    if (begun[i].first == 0)
      before.push_back(begun[i + 1].second - begun[i].second - samples[0].turns.at(before.size()));
  return before;
}

TEST(SampleInterleaved, BlocksOfLongLaunchesBeginWithLoadWhereTheClockDependsOnIt) {
  const auto expect = [](double launch_us, Clock clock, std::size_t first, std::size_t later) {
    const auto launches = not_counted(launch_us, clock);
    ASSERT_GE(launches.size(), 3U);
    EXPECT_EQ(launches.front(), first) << launch_us;
    for (std::size_t i = 1; i < launches.size(); ++i) EXPECT_EQ(launches[i], later) << launch_us;
  };
  expect(1000, Clock::load, 2 + 10, 10);
  expect(100, Clock::load, 2 + 25, 25);  // a GPU's timer makes each sample of several such launches
  expect(6000, Clock::load, 2 + 1, 1);
  expect(40'000, Clock::load, 2, 1);
  expect(10, Clock::load, 2, 1);
  expect(1000, Clock::nothing, 2, 1);
}

TEST(SampleInterleaved, DriftHitsAllAlike) {
  double slowdown = 1;
  ScriptedTimer timer([&](std::size_t) { return 100.0 * (slowdown *= 1.0002); });
  const auto samples = interleave(timer, 5, policy(1, 4, 100)).samples;
  std::vector<double> medians;
  for (const auto& series : samples) medians.push_back(summarise(series, false).median_us);
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  EXPECT_LT(*high / *low, 1.02) << "one after the other they would be 10 % apart";
}

TEST(SampleInterleaved, TheSteadyEndEarlyTheNoisyGoOn) {
  invented::Noise noise(7);
  ScriptedTimer timer([&](std::size_t who) { return who == 0 ? 200.0 : noise.normal(100, 0.2); });
  auto measure = policy(1, 4, 80);
  measure.target_dispersion = 0.001;
  const auto samples = interleave(timer, 2, measure).samples;
  EXPECT_EQ(samples[0].us.size(), 8u) << "two turns of four";
  EXPECT_EQ(samples[1].us.size(), 80u);
}

/// Turns of which each is off as a whole, by much more than its samples differ.
TEST(SampleInterleaved, IntervalsHoldWhereTurnsAreOffAsAWhole) {
  invented::Noise noise(9);
  double off = 1;
  ScriptedTimer timer([&](std::size_t) { return noise.normal(100 * off, 0.002); });
  std::vector<Timer::Launch> launches{timer.named(0), timer.named(1)};
  auto measure = policy(1, 11, 101);
  measure.target_dispersion = 0.005;
  int covered = 0;
  for (int i = 0; i < 500; ++i)
    for (const auto& samples : sample_interleaved(timer, launches, measure, Clock::nothing,
                                                  [&](std::size_t) { off = noise.normal(1, 0.015); })) {
      const auto timing = summarise(samples, false);
      covered += timing.low_us <= 100 && 100 <= timing.high_us ? 1 : 0;
    }
  EXPECT_GE(covered, 900) << "of 1000 intervals of 95 %, each of which ended when it looked narrow";
}

/// The machine slows down while it heats up. Whoever is done early would keep the times of the cold machine.
TEST(SampleInterleaved, ContendersAreDoneTogether) {
  invented::Noise noise(8);
  double heat = 0;
  ScriptedTimer timer([&](std::size_t who) {
    heat = std::min(heat + 0.001, 0.08);
    return noise.normal(100 * (1 + heat), who == 0 ? 0.0001 : 0.02);
  });
  auto measure = policy(1, 4, 100);
  measure.target_dispersion = 0.004;
  const auto samples = interleave(timer, 2, measure).samples;
  EXPECT_GT(samples[0].us.size(), 20u);
  EXPECT_LT(summarise(samples[1], false).median_us / summarise(samples[0], false).median_us, 1.01);
}

TEST(SampleInterleaved, SaysWhichSamplesAreOfOneTurn) {
  double clock = 1;
  ScriptedTimer timer([&](std::size_t) { return 100.0 * clock; });
  std::vector<Timer::Launch> launches{timer.named(0), timer.named(1)};
  const auto all =
      sample_interleaved(timer, launches, policy(1, 4, 40), Clock::nothing, [&](std::size_t) { clock = 2.1 - clock; });
  for (const auto& samples : all) {
    ASSERT_EQ(std::accumulate(samples.turns.begin(), samples.turns.end(), std::size_t{0}), 40u);
    std::size_t first = 0;
    for (const auto turn : samples.turns) {
      EXPECT_GE(turn, 4u);
      for (std::size_t i = first; i < first + turn; ++i) EXPECT_EQ(samples.us[i], samples.us[first]);
      first += turn;
    }
  }
}

TEST(SampleInterleaved, NothingToTime) {
  ScriptedTimer timer([](std::size_t) { return 1.0; });
  EXPECT_TRUE(sample_interleaved(timer, {}, policy(1, 3, 5), Clock::nothing).empty());
}

TEST(Summarise, FillsEveryNumber) {
  const auto samples = invented::independent({12, 10, 11, 30, 10.5, 11.5, 10.8});
  const auto timing = summarise(samples, true);
  EXPECT_EQ(timing.median_us, 11);
  EXPECT_EQ(timing.min_us, 10);
  EXPECT_NEAR(timing.mean_us, 13.6857, 1e-3);
  EXPECT_EQ(timing.low_us, 10);
  EXPECT_EQ(timing.high_us, 30);
  EXPECT_NEAR(timing.dispersion, 1.4826 * 0.5 / 11, 1e-9);
  EXPECT_EQ(timing.sample_count, 7);
  EXPECT_EQ(timing.samples_us, samples.us) << "in the order they were taken";
  EXPECT_EQ(summarise(samples_of(timing), true), timing);
  EXPECT_TRUE(summarise(samples, false).samples_us.empty());
  EXPECT_EQ(summarise(Samples{}, true), Timing{});
  const Samples of_turns{.us = samples.us, .turns = {4, 3}};
  EXPECT_EQ(summarise(of_turns, true).turns, (std::vector<std::int64_t>{4, 3})) << "the interval depends on them";
  EXPECT_TRUE(summarise(of_turns, false).turns.empty());
}

}  // namespace
}  // namespace gemmtune
