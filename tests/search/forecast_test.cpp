#include "gemmtune/search/forecast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/search/tile_space.h"

namespace gemmtune {
namespace {

Candidate with_params(std::vector<Param> params) {
  std::string name = "toy";
  for (const auto& [key, value] : params) name += '_' + key + value;
  return {.family = "toy", .name = std::move(name), .params = std::move(params)};
}

TEST(Distance, CountsParametersThatDiffer) {
  const auto a = with_params({{"layout", "row"}, {"order", "n"}});
  EXPECT_EQ(distance(a, a), 0);
  EXPECT_EQ(distance(a, with_params({{"layout", "col"}, {"order", "n"}})), 1);
  EXPECT_EQ(distance(a, with_params({{"layout", "col"}, {"order", "m"}})), 2);
}

TEST(Distance, NumbersAreNearEachOtherOrNot) {
  const auto tile = [](const char* value) { return with_params({{"t", value}}); };
  EXPECT_LT(distance(tile("128"), tile("256")), distance(tile("64"), tile("256")));
  EXPECT_GT(distance(tile("65"), tile("66")), 0.2) << "many numbers are codes";
  EXPECT_LT(distance(tile("128x64"), tile("128x128")), distance(tile("128x64"), tile("256x256")));
  EXPECT_EQ(distance(tile("0"), tile("5")), 1);
}

TEST(Distance, IsSymmetricWhenOneHasMoreParameters) {
  const auto more = with_params({{"m", "128"}, {"extra", "1"}});
  const auto less = with_params({{"m", "128"}});
  EXPECT_EQ(distance(more, less), 1);
  EXPECT_EQ(distance(less, more), 1);
}

TEST(Distance, OfWhatHasNoParametersSaysNothing) {
  const Candidate one{.family = "toy", .name = "one"};
  const Candidate two{.family = "toy", .name = "two"};
  EXPECT_EQ(distance(one, one), 0);
  EXPECT_GT(distance(one, two), 50);
  auto named = with_params({{"m", "128"}});
  named.name = "another";
  EXPECT_EQ(distance(named, with_params({{"m", "128"}})), 1) << "something differs, or they had one name";
}

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
