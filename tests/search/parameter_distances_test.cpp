#include "gemmtune/search/parameter_distances.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/support/cpu_seconds.h"

namespace gemmtune {
namespace {

Candidate with_params(std::vector<Param> params) {
  std::string name = "toy";
  for (const auto& [key, value] : params) name += '_' + key + value;
  return {.family = "toy", .name = std::move(name), .params = std::move(params)};
}

double distance(const Candidate& a, const Candidate& b) {
  const std::array both{a, b};
  return ParameterDistances(both).between(0, 1);
}

TEST(ParameterDistances, CountsParametersThatDiffer) {
  const auto a = with_params({{"layout", "row"}, {"order", "n"}});
  EXPECT_EQ(distance(a, with_params({{"layout", "col"}, {"order", "n"}})), 1);
  EXPECT_EQ(distance(a, with_params({{"layout", "col"}, {"order", "m"}})), 2);
}

TEST(ParameterDistances, NumbersAreNearEachOtherOrNot) {
  const auto tile = [](const char* value) { return with_params({{"t", value}}); };
  EXPECT_LT(distance(tile("128"), tile("256")), distance(tile("64"), tile("256")));
  EXPECT_GT(distance(tile("65"), tile("66")), 0.2) << "many numbers are codes";
  EXPECT_LT(distance(tile("128x64"), tile("128x128")), distance(tile("128x64"), tile("256x256")));
  EXPECT_EQ(distance(tile("0"), tile("5")), 1);
}

TEST(ParameterDistances, IsSymmetricWhenOneHasMoreParameters) {
  const auto more = with_params({{"m", "128"}, {"extra", "1"}});
  const auto less = with_params({{"m", "128"}});
  EXPECT_EQ(distance(more, less), 1);
  EXPECT_EQ(distance(less, more), 1);
}

TEST(ParameterDistances, OfWhatHasNoParametersSaysNothing) {
  const Candidate one{.family = "toy", .name = "one"};
  const Candidate two{.family = "toy", .name = "two"};
  EXPECT_GT(distance(one, two), 50);
  auto named = with_params({{"m", "128"}});
  named.name = "another";
  EXPECT_EQ(distance(named, with_params({{"m", "128"}})), 1) << "something differs, or they had one name";
}

/// A worker may list that many, each with a number of its own.
TEST(ParameterDistances, OfHundredsOfThousandsAreTheSame) {
  std::vector<Candidate> many;
  for (int i = 1; i <= 200'000; ++i) many.push_back(with_params({{"id", std::to_string(i)}, {"t", "4"}}));
  const double start = cpu_seconds();
  const ParameterDistances distances(many);
  EXPECT_LT(cpu_seconds() - start, 20);
  EXPECT_EQ(distances.between(127, 255), distance(many[127], many[255]));
  EXPECT_EQ(distances.between(70'000, 70'000), 0);
  EXPECT_GT(distances.between(4464, 70'000), 0.2) << "as far apart as 16 bits count";
}

TEST(ParameterDistances, OfOneFromItselfIsNone) {
  const std::array one{Candidate{.family = "toy", .name = "one"}};
  EXPECT_EQ(ParameterDistances(one).between(0, 0), 0);
}

}  // namespace
}  // namespace gemmtune
