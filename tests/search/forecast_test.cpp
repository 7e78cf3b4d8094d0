#include "gemmtune/search/forecast.h"

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
