#include "gemmtune/families/cublaslt/learning.h"

#include <gtest/gtest.h>

#include "tests/families/cublaslt/invented_library.h"

namespace gemmtune::cublaslt {
namespace {

constexpr LearningLimits unlimited{.checks = 10'000'000, .accepted_of_a_pair = 1'000'000};

std::set<AlgoConfig> as_set(const Learnt& learnt) { return {learnt.configs.begin(), learnt.configs.end()}; }

TEST(CublasltLearning, FindsAllThatAnAlgorithmTakes) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    InventedLibrary library;
    library.algos[7] = invent_algo(random);
    const auto learnt = learn(library, 7, unlimited);
    EXPECT_EQ(as_set(learnt), library.everything(7)) << "seed " << seed;
    EXPECT_EQ(learnt.configs.size(), as_set(learnt).size()) << "seed " << seed;
    EXPECT_EQ(learnt.checks, library.checks) << "seed " << seed;
    EXPECT_FALSE(learnt.cut);
  }
}

TEST(CublasltLearning, AsksForFewerThanAllCombinations) {
  std::mt19937 random(3);
  InventedLibrary library;
  library.algos[7] = invent_algo(random);
  const auto& capabilities = library.algos[7].capabilities;
  const std::int64_t combinations =
      std::int64_t{6} * 4 * 5 * 52 * (capabilities.custom_max + 1) * (capabilities.swizzles ? 2 : 1);
  const auto checks = learn(library, 7, unlimited).checks;
  EXPECT_LT(checks, combinations / 3);
}

TEST(CublasltLearning, TilesThatNeedOneOtherSettingAreFound) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.tiles = {11, 12}, .stages = {31}},
                      .boxes = {{{11, 31}, {}}, {{12, 31}, {.inner = {0, 2}, .clusters = {5, 9}}}}};
  EXPECT_EQ(as_set(learn(library, 7, unlimited)), library.everything(7));
}

TEST(CublasltLearning, TilesThatNeedTwoOtherSettingsAreFoundByTheRanking) {
  InventedLibrary library;
  const Box box{.inner = {1, 3}, .clusters = {4, 8}, .customs = {0, 2}};
  library.algos[7] = {.capabilities = {.tiles = {11, 12}, .stages = {31, 32}, .custom_max = 2},
                      .boxes = {{{11, 31}, box}, {{12, 32}, box}}};
  EXPECT_TRUE(learn(library, 7, unlimited).configs.empty());
  library.algos[7].ranked = {
      {.id = 7, .tile = 11, .stages = 31, .split_k = 4, .reduction = 2, .inner = 1, .cluster = 4}};
  EXPECT_EQ(as_set(learn(library, 7, unlimited)), library.everything(7));
}

TEST(CublasltLearning, AlgorithmsWithoutListsHaveTheUndefinedTileAndStages) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.custom_max = 3}, .boxes = {{{0, 0}, {.customs = {0, 1, 3}}}}};
  EXPECT_EQ(as_set(learn(library, 7, unlimited)), library.everything(7));
}

TEST(CublasltLearning, SettingsThatAreNotLookedAtMakeNoDuplicates) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.tiles = {11}, .stages = {31}},
                      .ignores_clusters = true,
                      .boxes = {{{11, 31}, {.inner = {0, 2}}}}};
  EXPECT_EQ(as_set(learn(library, 7, unlimited)), library.everything(7));
}

TEST(CublasltLearning, LimitsAreKeptAndSaid) {
  std::mt19937 random(1);
  InventedLibrary library;
  library.algos[7] = invent_algo(random);
  const auto few = learn(library, 7, {.checks = 100, .accepted_of_a_pair = 1000});
  EXPECT_EQ(few.checks, 100);
  EXPECT_EQ(library.checks, 100);
  EXPECT_TRUE(few.cut);
  library.algos[8] = {.capabilities = {.tiles = {1}, .stages = {1}, .custom_max = 40},
                      .boxes = {{{1, 1}, {.clusters = {0, 2, 3, 4}, .customs = some_of(41, 1, random)}}}};
  const auto near = learn(library, 8, {.checks = 10'000, .accepted_of_a_pair = 10});
  EXPECT_TRUE(near.cut);
  EXPECT_LT(near.configs.size(), library.everything(8).size());
}

TEST(CublasltLearning, AnUnknownAlgorithmTakesNothing) {
  EXPECT_TRUE(learn(InventedLibrary{}, 7, unlimited).configs.empty());
}

}  // namespace
}  // namespace gemmtune::cublaslt
