#include "gemmtune/search/forecast.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/tile_space.h"

namespace gemmtune {
namespace {

TEST(Forecast, TellsFromHalfOfASpaceTheOtherHalf) {
  const auto candidates = tile_candidates();
  const Forecast forecast(candidates);
  std::vector<Forecast::Known> known;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i % 2 == 0)
      known.push_back({i, std::log(tile_time_us(candidates[i]))});
    else
      unknown.push_back(i);
  }
  const auto expected = forecast.expect(unknown, known);
  double squares = 0;
  for (std::size_t i = 0; i < unknown.size(); ++i)
    squares += std::pow(expected[i].mean - std::log(tile_time_us(candidates[unknown[i]])), 2);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(unknown.size())), 0.06);
}

/// A valley over the numbers of 2000 kernels, of which every other is known.
TEST(Forecast, OfManyItLearnsBestNearTheFastest) {
  std::vector<Candidate> candidates;
  for (int i = 0; i < 2000; ++i)
    candidates.push_back({.family = "one", .name = fmt::format("one_{}", i), .params = {{"x", fmt::format("{}", i)}}});
  const auto log_time = [](std::size_t i) { return std::pow((static_cast<double>(i) - 700) / 500, 2); };
  std::vector<Forecast::Known> known;
  for (std::size_t i = 0; i < candidates.size(); i += 2) known.push_back({i, log_time(i)});
  const std::vector<std::size_t> unknown{601, 701, 799, 1, 1999};
  const auto expected = Forecast(candidates).expect(unknown, known);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(expected[i].mean, log_time(unknown[i]), 0.01) << unknown[i];
  EXPECT_NEAR(expected[3].mean, log_time(1), 0.2);
  EXPECT_GT(expected[4].mean, 5) << "far from the fastest there are fewer to learn from";
}

TEST(Forecast, AFamilyNeverSeenMayBeAnything) {
  auto candidates = tile_candidates();
  candidates.push_back({.family = "other", .name = "other_1"});
  const Forecast forecast(candidates);
  std::vector<Forecast::Known> known;
  for (std::size_t i = 0; i < 20; ++i) known.push_back({i, std::log(tile_time_us(candidates[i]))});
  const std::vector<std::size_t> unknown{candidates.size() - 1, 20};
  const auto expected = forecast.expect(unknown, known);
  EXPECT_GE(expected[0].deviation, 0.1);
  EXPECT_LT(expected[1].deviation, expected[0].deviation);
}

TEST(Forecast, WithNothingKnownIsWide) {
  const auto candidates = tile_candidates();
  const std::vector<std::size_t> unknown{0};
  EXPECT_GT(Forecast(candidates).expect(unknown, {}).front().deviation, 0.5);
}

}  // namespace
}  // namespace gemmtune
