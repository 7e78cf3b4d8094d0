#include "gemmtune/search/diverse_sample.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/search/tile_space.h"

namespace gemmtune {
namespace {

std::vector<Candidate> two_families() {
  auto candidates = tile_candidates();
  for (int i = 0; i < 3; ++i) candidates.push_back({.family = "few", .name = fmt::format("few_{}", i)});
  return candidates;
}

TEST(FirstOfEachFamily, TakesThemByTurnsAndInOrder) {
  const auto candidates = two_families();
  const std::size_t few = candidates.size() - 3;
  EXPECT_EQ(first_of_each_family(candidates, 5), (std::vector<std::size_t>{0, few, 1, few + 1, 2}));
  EXPECT_EQ(first_of_each_family(candidates, 8), (std::vector<std::size_t>{0, few, 1, few + 1, 2, few + 2, 3, 4}));
}

TEST(FirstOfEachFamily, TakesAllWhenThereAreNotSoMany) {
  const std::vector<Candidate> two{{.family = "a", .name = "1"}, {.family = "b", .name = "2"}};
  EXPECT_EQ(first_of_each_family(two, 9).size(), 2U);
}

TEST(SpreadOut, KeepsTheChosenAndTakesNoneTwice) {
  const auto candidates = two_families();
  const auto spread = most_diverse(candidates, {5, 0}, 40);
  EXPECT_EQ(spread[0], 5U);
  EXPECT_EQ(spread[1], 0U);
  EXPECT_EQ(std::set(spread.begin(), spread.end()).size(), 40U);
  const auto all = most_diverse(candidates, {}, 10'000);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), candidates.size());
}

TEST(SpreadOut, ReachesEveryFamilyAndEveryExtreme) {
  const auto candidates = two_families();
  std::map<std::string, std::set<std::string>> values;
  std::set<std::string> families;
  for (const auto i : most_diverse(candidates, {0}, 16)) {
    families.insert(candidates[i].family);
    for (const auto& param : candidates[i].params) values[param.key].insert(param.value);
  }
  EXPECT_EQ(families.size(), 2U);
  for (const auto& [key, extreme] : std::map<std::string, std::string>{{"m", "256"}, {"n", "256"}, {"s", "6"}})
    EXPECT_TRUE(values[key].contains(extreme)) << key;
}

}  // namespace
}  // namespace gemmtune
