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
TEST(LogDeviations, AreRightForTwoTurnsOfEachOfManyCandidates) {
  Noise noise(1);
  std::vector<double> means;
  std::size_t too_sure = 0;
  for (int i = 0; i < 50; ++i) {
    const auto all = field(8, {.count = 2, .size = 6, .common = 0.015, .own = 0.002}, noise);
    const auto deviations = log_deviations(all);
    means.push_back(mean(deviations));
    for (const double deviation : deviations) too_sure += deviation < 0.003 ? 1 : 0;
  }
  EXPECT_NEAR(mean(means), 0.0106, 0.003);
  EXPECT_LE(too_sure, 8U) << "of 400: the two turns of one candidate in seven agree within 0.3 %";
}

TEST(LogDeviations, LeaveOutWhatAllHaveInCommonInARound) {
  std::vector<Evaluation> all;
  for (int i = 0; i < 8; ++i)
    all.push_back({.timing = summarise({.us = {100, 100, 100, 100, 130, 130, 130, 130}, .turns = {4, 4}}, true)});
  for (auto& one : all) one.timing.samples_us = {100, 100, 100, 100, 130, 130, 130, 130};
  const auto alone = log_deviations(std::span(all).first(1));
  EXPECT_GE(log_deviations(all).front(), 0);
  EXPECT_GT(alone.front(), 0.01) << "of one candidate, nothing shows that it was the machine";
}

TEST(LogDeviations, AreNotThoseOfOneStalledTurn) {
  Noise noise(2);
  auto all = field(8, {.count = 3, .size = 4, .common = 0.001, .own = 0.001}, noise);
  for (std::size_t i = 0; i < 4; ++i) all[0].timing.samples_us[i] *= 3;
  const auto deviations = log_deviations(all);
  EXPECT_GT(deviations[0], 0.05);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_LT(deviations[i], 0.2);
}

TEST(LogDeviations, AreThoseOfTheIntervalsWhereNoSamplesAreKept) {
  Noise noise(3);
  auto all = field(3, {.count = 4, .size = 4, .common = 0.01, .own = 0.002}, noise);
  for (auto& one : all) one.timing.samples_us.clear();
  const auto deviations = log_deviations(all);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(deviations[i], log_deviation(all[i].timing));
}

}  // namespace
}  // namespace gemmtune
