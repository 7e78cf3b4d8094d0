#include "gemmtune/families/cublaslt/enumeration.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/families/cublaslt/invented_library.h"

namespace gemmtune::cublaslt {
namespace {

constexpr AlgoLimits unlimited{.checks = 10'000'000, .accepted_of_a_pair = 1'000'000};
constexpr EnumerationLimits whole{.most = 1'000'000, .k = 4096};

Enumeration all_of(const InventedLibrary& library, const EnumerationLimits& limits = whole) {
  return enumerate(library, enumerate_algos(library, unlimited), limits);
}

std::set<AlgoConfig> configs_of(const Enumeration& enumeration) {
  std::set<AlgoConfig> configs;
  for (const auto& entry : enumeration.entries) configs.insert(entry.config);
  return configs;
}

/// A library with one algorithm of one tile, which takes only plain settings.
InventedLibrary plain_library() {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.tiles = {11}, .stages = {31}}, .boxes = {{{11, 31}, {}}}};
  return library;
}

std::vector<int> splits_of(const Enumeration& enumeration) {
  std::vector<int> splits;
  for (const auto& entry : enumeration.entries) splits.push_back(entry.config.split_k);
  return splits;
}

TEST(CublasltEnumeration, HasEverythingOnceAndOnlyWhatIsTaken) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    InventedLibrary library;
    std::set<AlgoConfig> unsplit;
    for (const int id : {3, 7, 66}) {
      library.algos[id] = invent_algo(random);
      unsplit.merge(library.everything(id));
    }
    library.ranking.assign(unsplit.begin(),
                           std::next(unsplit.begin(), std::min<std::ptrdiff_t>(3, std::ssize(unsplit))));
    const auto found = all_of(library);
    const auto configs = configs_of(found);
    EXPECT_EQ(configs.size(), found.entries.size()) << "seed " << seed;
    EXPECT_TRUE(std::ranges::includes(configs, unsplit)) << "seed " << seed;
    for (const auto& config : configs) EXPECT_TRUE(library.check(config)) << "seed " << seed;
    for (const auto& config : configs) EXPECT_TRUE(config.split_k > 1 || unsplit.contains(config)) << "seed " << seed;
    EXPECT_FALSE(found.cut);
  }
}

TEST(CublasltEnumeration, TheLibrarysRankingComesFirstInItsOrder) {
  std::mt19937 random(4);
  InventedLibrary library;
  library.algos[7] = invent_algo(random);
  const auto everything = library.everything(7);
  ASSERT_GT(everything.size(), 5U);
  library.ranking = {*std::next(everything.begin(), 4), *everything.begin(), *std::next(everything.begin(), 2)};
  const auto found = all_of(library);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.entries[i].config, library.ranking[i]);
    EXPECT_TRUE(found.entries[i].ranked);
  }
  EXPECT_FALSE(found.entries[3].ranked);
  EXPECT_TRUE(found.has_first_choice);
}

TEST(CublasltEnumeration, AFirstChoiceThatIsNotTakenIsNone) {
  auto library = plain_library();
  const AlgoConfig plain{.id = 7, .tile = 11, .stages = 31};
  library.ranking = {{.id = 7, .tile = 12, .stages = 31}, plain};
  const auto found = all_of(library);
  ASSERT_EQ(found.entries.size(), 1U);
  EXPECT_EQ(found.entries.front().config, plain);
  EXPECT_FALSE(found.has_first_choice);
}

TEST(CublasltEnumeration, TheNearestToTheRankingFollowAndTheFurthestAreLeftOut) {
  auto library = plain_library();
  library.algos[7].boxes[{11, 31}] = {.inner = {0, 1}, .clusters = {0, 2}, .customs = {0}};
  library.ranking = {{.id = 7, .tile = 11, .stages = 31, .inner = 1, .cluster = 2}};
  const auto found = all_of(library);
  ASSERT_EQ(found.entries.size(), 4U);
  EXPECT_EQ(found.entries.back().config, (AlgoConfig{.id = 7, .tile = 11, .stages = 31}));
  const auto three = all_of(library, {.most = 3, .k = 4096});
  EXPECT_TRUE(three.cut);
  EXPECT_FALSE(configs_of(three).contains(found.entries.back().config));
}

TEST(CublasltEnumeration, KIsSplitWhereTheAlgorithmCanAndEachPartHasWork) {
  auto library = plain_library();
  EXPECT_EQ(splits_of(all_of(library)), std::vector<int>{1});
  library.algos[7].capabilities.splits_k = true;
  library.algos[7].capabilities.reductions = 2;
  EXPECT_EQ(splits_of(all_of(library, {.most = 100, .k = 512})), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(splits_of(all_of(library, {.most = 100, .k = 255})), std::vector<int>{1});
  library.waves[11] = 3;
  EXPECT_EQ(splits_of(all_of(library, {.most = 100, .k = 512})), std::vector<int>{1});
}

TEST(CublasltEnumeration, PartialSumsAreNotRoundedToANarrowOutput) {
  auto library = plain_library();
  library.algos[7].capabilities.splits_k = true;
  library.algos[7].capabilities.reductions = 7;
  const auto reductions = [&](bool fits_output) {
    std::set<unsigned> found;
    for (const auto& entry : all_of(library, {.most = 100, .k = 256, .fits_output = fits_output}).entries)
      found.insert(entry.config.reduction);
    return found;
  };
  EXPECT_EQ(reductions(false), (std::set<unsigned>{0, 2}));
  EXPECT_EQ(reductions(true), (std::set<unsigned>{0, 1, 2, 4}));
}

TEST(CublasltEnumeration, WorkspaceIsLimited) {
  auto library = plain_library();
  library.algos[7].capabilities.splits_k = true;
  library.algos[7].capabilities.reductions = 2;
  library.workspace_of_a_split = std::size_t{100} << 20;
  EXPECT_EQ(splits_of(all_of(library)), (std::vector<int>{1, 2, 3}));
}

TEST(CublasltEnumeration, SmallTilesAreDroppedWhereTheGpuIsFullUnlessTheLibraryRanksThem) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.tiles = {11, 12, 13}, .stages = {31}},
                      .boxes = {{{11, 31}, {}}, {{12, 31}, {}}, {{13, 31}, {}}}};
  const AlgoConfig smallest{.id = 7, .tile = 13, .stages = 31};
  library.waves = {{11, 1}, {12, 8}, {13, 9}};
  EXPECT_EQ(all_of(library).entries.size(), 2U);
  EXPECT_FALSE(configs_of(all_of(library)).contains(smallest));
  library.ranking = {smallest};
  EXPECT_EQ(all_of(library).entries.size(), 3U);
  library.ranking.clear();
  library.waves = {{11, 0.25}, {12, 2}, {13, 4}};
  EXPECT_EQ(all_of(library).entries.size(), 3U);
}

TEST(CublasltEnumeration, WhatWasLearntIsNotAskedAgainAndEveryQuestionCounts) {
  auto library = plain_library();
  const auto known = enumerate_algos(library, unlimited);
  library.checks = 0;
  EXPECT_EQ(enumerate(library, known, whole).checks, 0);
  EXPECT_EQ(library.checks, 0);
  library.algos[7].capabilities.splits_k = true;
  library.algos[7].capabilities.reductions = 2;
  library.ranking = {{.id = 7, .tile = 12, .stages = 31}, {.id = 7, .tile = 13, .stages = 31}};
  library.algos[7].ranked = library.ranking;
  const auto found = enumerate(library, known, {.most = 100, .k = 512});
  EXPECT_EQ(found.checks, 5);  // of which three are of splits
  EXPECT_EQ(library.checks, 5);
  EXPECT_EQ(found.entries.size(), 4U);
}

TEST(CublasltEnumeration, IsTheSameWhicheverAnswersComeFirst) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    const auto library = invent_library(random);
    const auto known = enumerate_algos(library, unlimited);
    const auto expected = enumerate(library, known, whole);
    for (unsigned delays = 0; delays < 3; ++delays) {
      const auto found = enumerate(UnevenLibrary(library, delays), known, whole);
      EXPECT_EQ(found.entries, expected.entries) << "seed " << seed << ", delays " << delays;
      EXPECT_EQ(found.checks, expected.checks) << "seed " << seed << ", delays " << delays;
      EXPECT_EQ(found.has_first_choice, expected.has_first_choice) << "seed " << seed << ", delays " << delays;
    }
  }
}

TEST(CublasltEnumeration, SplitsFollowWhatTheySplit) {
  auto library = plain_library();
  library.algos[7].boxes[{11, 31}].customs = {0, 1};
  library.algos[7].capabilities = {.tiles = {11}, .stages = {31}, .splits_k = true, .reductions = 2, .custom_max = 1};
  std::vector<std::pair<unsigned, int>> order;
  for (const auto& entry : all_of(library, {.most = 100, .k = 384}).entries)
    order.emplace_back(entry.config.custom, entry.config.split_k);
  EXPECT_EQ(order, (std::vector<std::pair<unsigned, int>>{{0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}}));
}

TEST(CublasltAlgoConfig, HashesTellSettingsApart) {
  std::mt19937 random(6);
  const auto library = invent_library(random);
  std::set<AlgoConfig> configs;
  for (const int id : library.ids()) configs.merge(library.everything(id));
  ASSERT_GT(configs.size(), 300U);
  std::set<std::size_t> hashes;
  for (auto config : configs)
    for (const int splits : {1, 2, 4}) {
      config.split_k = splits;
      hashes.insert(AlgoConfigHash()(config));
    }
  EXPECT_EQ(hashes.size(), 3 * configs.size());
}

}  // namespace
}  // namespace gemmtune::cublaslt
