#include "gemmtune/measure/turn_scatter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gemmtune/measure/sampler.h"
#include "tests/measure/invented_samples.h"

namespace gemmtune {
namespace {

using invented::Noise;
using invented::Turns;

std::vector<Evaluation> field(std::size_t count, const Turns& turns, Noise& noise) {
  std::vector<Evaluation> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({.timing = summarise(turns.draw(noise), true)});
  return all;
}

std::vector<double> deviations_of(const std::vector<TurnTime>& times) {
  std::vector<double> deviations;
  for (const auto& time : times) deviations.push_back(time.deviation);
  return deviations;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value / static_cast<double>(values.size());
  return sum;
}

TEST(LogDeviation, IsThatOfTheInterval) {
  EXPECT_NEAR(log_deviation({.median_us = 100, .low_us = 100 * std::exp(-0.0196), .high_us = 100 * std::exp(0.0196)}),
              0.01, 1e-9);
  EXPECT_NEAR(log_deviation({.median_us = 100, .low_us = -5, .high_us = 100 * std::exp(0.0196)}), 0.01, 1e-9);
  EXPECT_EQ(log_deviation({}), 0);
}

/// Two turns of 1.5 %: their mean has a deviation of 1.06 %.
TEST(TimesByTurns, HaveTheRightDeviationForTwoTurnsOfEachOfManyCandidates) {
  Noise noise(1);
  std::vector<double> means;
  std::size_t too_sure = 0;
  for (int i = 0; i < 50; ++i) {
    const auto all = field(8, {.count = 2, .size = 6, .common = 0.015, .own = 0.002}, noise);
    const auto deviations = deviations_of(times_by_turns(all));
    means.push_back(mean(deviations));
    for (const double deviation : deviations) too_sure += deviation < 0.003 ? 1 : 0;
  }
  EXPECT_NEAR(mean(means), 0.0106, 0.003);
  EXPECT_LE(too_sure, 8U) << "of 400: the two turns of one candidate in seven agree within 0.3 %";
}

TEST(TimesByTurns, LeaveOutWhatAllHaveInCommonInARound) {
  std::vector<Evaluation> all;
  for (int i = 0; i < 8; ++i)
    all.push_back({.timing = summarise({.us = {100, 100, 100, 100, 130, 130, 130, 130}, .turns = {4, 4}}, true)});
  for (auto& one : all) one.timing.samples_us = {100, 100, 100, 100, 130, 130, 130, 130};
  const auto alone = times_by_turns(std::span(all).first(1));
  EXPECT_LT(times_by_turns(all).front().deviation, 0.01);
  EXPECT_GT(alone.front().deviation, 0.01) << "of one candidate, nothing shows that it was the machine";
}

TEST(TimesByTurns, AreNotThoseOfOneStalledTurn) {
  Noise noise(2);
  auto all = field(8, {.count = 3, .size = 4, .common = 0.001, .own = 0.001}, noise);
  for (std::size_t i = 0; i < 4; ++i) all[0].timing.samples_us[i] *= 3;
  const auto deviations = deviations_of(times_by_turns(all));
  EXPECT_GT(deviations[0], 0.05);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_LT(deviations[i], 0.2);
}

/// Turns at one of two clocks, 4 % apart. With 13 turns, the median of all samples is at one of them. The mean of the
/// turns is off by 2 % / √13 = 0.55 %, and says so.
TEST(TimesByTurns, OfTwoClocksAreTheMeanAndAsSureAsItIs) {
  Noise noise(4);
  double squares = 0;
  double stated = 0;
  constexpr int fields = 100;
  for (int i = 0; i < fields; ++i) {
    std::vector<Evaluation> all;
    for (int k = 0; k < 6; ++k) {
      Samples drawn;
      for (int turn = 0; turn < 13; ++turn) {
        const double clock = noise.chance(0.5) ? 98 : 102;
        for (int n = 0; n < 8; ++n) drawn.us.push_back(noise.normal(clock, 0.003));
        drawn.turns.push_back(8);
      }
      all.push_back({.timing = summarise(drawn, true)});
    }
    const auto times = times_by_turns(all);
    squares += std::pow(times[0].log_us - times[1].log_us, 2) / 2 / fields;
    stated += times[0].deviation * times[0].deviation / fields;
  }
  EXPECT_NEAR(std::sqrt(squares), 0.0055, 0.0015);
  EXPECT_GT(std::sqrt(stated), 0.8 * std::sqrt(squares));
  EXPECT_LT(std::sqrt(stated), 0.012);
}

/// Of which two of three pairs of turns met the same clock: half of the distances are nothing, and say nothing.
TEST(TimesByTurns, OfTwoClocksKnowFromFewTurnsThatTheyScatter) {
  std::vector<Evaluation> all;
  const auto turns = [](double a, double b) { return Samples{.us = {a, a, a, b, b, b}, .turns = {3, 3}}; };
  for (int i = 0; i < 10; ++i) {
    all.push_back({.timing = summarise(turns(98, 98), true)});
    all.push_back({.timing = summarise(turns(102, 102), true)});
    all.push_back({.timing = summarise(i % 2 == 0 ? turns(98, 102) : turns(102, 98), true)});
  }
  EXPECT_GT(times_by_turns(all).front().deviation, 0.006);
}

TEST(TimesByTurns, AreNotMovedFarByOneTurnThatStalled) {
  Noise noise(5);
  auto all = field(8, {.count = 6, .size = 4, .common = 0.001, .own = 0.001}, noise);
  const double before = times_by_turns(all)[0].log_us;
  for (std::size_t i = 0; i < 4; ++i) all[0].timing.samples_us[i] *= 3;
  const auto stalled = times_by_turns(all)[0];
  EXPECT_NEAR(stalled.log_us, before, 0.005);
  EXPECT_LT(stalled.deviation, 0.01) << "the other five agree";
}

TEST(TimesByTurns, OfWhatWasNotTimedAreNothing) {
  const std::vector<Evaluation> all(2);
  EXPECT_EQ(times_by_turns(all).front().log_us, 0);
  EXPECT_EQ(times_by_turns(all).front().deviation, 0);
  EXPECT_TRUE(times_by_turns({}).empty());
}

TEST(TimesByTurns, AreThoseOfTheIntervalsWhereNoSamplesAreKept) {
  Noise noise(3);
  auto all = field(3, {.count = 4, .size = 4, .common = 0.01, .own = 0.002}, noise);
  for (auto& one : all) one.timing.samples_us.clear();
  const auto deviations = deviations_of(times_by_turns(all));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(deviations[i], log_deviation(all[i].timing));
}

}  // namespace
}  // namespace gemmtune
