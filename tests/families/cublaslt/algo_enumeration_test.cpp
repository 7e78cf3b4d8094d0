#include "gemmtune/families/cublaslt/algo_enumeration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "tests/families/cublaslt/invented_library.h"

namespace gemmtune::cublaslt {
namespace {

constexpr AlgoLimits unlimited{.checks = 10'000'000, .accepted_of_a_pair = 1'000'000, .futile_of_a_tile = 10'000'000};

std::set<AlgoConfig> as_set(const AlgoConfigs& learnt) {
  std::set<AlgoConfig> configs;
  for (const auto& taken : learnt.taken) configs.insert(taken.config);
  return configs;
}

/// Answers only after a second thread has asked, or after 10 seconds.
class WaitingLibrary final : public AlgoSource {
 public:
  std::vector<int> ids() const override { return {7}; }
  std::optional<Capabilities> capabilities(int) const override { return Capabilities{.tiles = {1, 2, 3, 4}}; }
  std::vector<AlgoConfig> ranked(const RankRequest&) const override { return {}; }

  std::optional<Accepted> check(const AlgoConfig&) const override {
    std::unique_lock lock(mutex_);
    threads_.insert(std::this_thread::get_id());
    asked_.notify_all();
    asked_.wait_for(lock, std::chrono::seconds(10), [&] { return threads_.size() > 1; });
    return std::nullopt;
  }

  std::size_t threads() const { return threads_.size(); }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable asked_;
  mutable std::set<std::thread::id> threads_;
};

/// A library with one algorithm, number 7.
InventedLibrary library_of_one(unsigned seed) {
  std::mt19937 random(seed);
  InventedLibrary library;
  library.algos[7] = invent_algo(random);
  return library;
}

TEST(CublasltLearning, FindsAllThatAnAlgorithmTakes) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto library = library_of_one(seed);
    const auto learnt = enumerate_algo(library, 7, unlimited);
    EXPECT_EQ(as_set(learnt), library.everything(7)) << "seed " << seed;
    EXPECT_EQ(learnt.taken.size(), as_set(learnt).size()) << "seed " << seed;
    EXPECT_EQ(learnt.checks, library.checks) << "seed " << seed;
    EXPECT_FALSE(learnt.cut);
  }
}

TEST(CublasltLearning, AsksForFewerThanAllCombinations) {
  const auto library = library_of_one(3);
  const auto& capabilities = library.algos.at(7).capabilities;
  const std::int64_t combinations =
      std::int64_t{6} * 4 * 5 * 52 * (capabilities.custom_max + 1) * (capabilities.swizzles ? 2 : 1);
  const auto checks = enumerate_algo(library, 7, unlimited).checks;
  EXPECT_LT(checks, combinations / 3);
}

TEST(CublasltLearning, TilesThatNeedOneOtherSettingAreFound) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.tiles = {11, 12}, .stages = {31}},
                      .boxes = {{{11, 31}, {}}, {{12, 31}, {.inner = {0, 2}, .clusters = {5, 9}}}}};
  EXPECT_EQ(as_set(enumerate_algo(library, 7, unlimited)), library.everything(7));
}

TEST(CublasltLearning, TilesThatNeedTwoOtherSettingsAreFoundByTheRanking) {
  InventedLibrary library;
  const Box box{.inner = {1, 3}, .clusters = {4, 8}, .customs = {0, 2}};
  library.algos[7] = {.capabilities = {.tiles = {11, 12}, .stages = {31, 32}, .custom_max = 2},
                      .boxes = {{{11, 31}, box}, {{12, 32}, box}}};
  EXPECT_TRUE(enumerate_algo(library, 7, unlimited).taken.empty());
  library.algos[7].ranked = {
      {.id = 7, .tile = 11, .stages = 31, .split_k = 4, .reduction = 2, .inner = 1, .cluster = 4}};
  EXPECT_EQ(as_set(enumerate_algo(library, 7, unlimited)), library.everything(7));
}

TEST(CublasltLearning, AlgorithmsWithoutListsHaveTheUndefinedTileAndStages) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.custom_max = 3}, .boxes = {{{0, 0}, {.customs = {0, 1, 3}}}}};
  EXPECT_EQ(as_set(enumerate_algo(library, 7, unlimited)), library.everything(7));
}

TEST(CublasltLearning, SettingsThatAreNotLookedAtMakeNoDuplicates) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.tiles = {11}, .stages = {31}},
                      .ignores_clusters = true,
                      .boxes = {{{11, 31}, {.inner = {0, 2}}}}};
  EXPECT_EQ(as_set(enumerate_algo(library, 7, unlimited)), library.everything(7));
}

/// Several tiles are learnt at the same time, yet their checks count as if one tile came after the other.
TEST(CublasltLearning, ALimitOfChecksIsKeptAndSaid) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto library = library_of_one(seed);
    const auto whole = enumerate_algo(library, 7, unlimited);
    std::set<AlgoConfig> fewer;
    for (std::int64_t limit = 0; limit <= whole.checks; limit += std::max<std::int64_t>(whole.checks / 9, 1)) {
      auto limits = unlimited;
      limits.checks = limit;
      const auto cut = enumerate_algo(library, 7, limits);
      EXPECT_EQ(cut.checks, limit) << "seed " << seed;
      EXPECT_EQ(cut.cut, limit < whole.checks) << "seed " << seed;
      EXPECT_TRUE(std::ranges::includes(as_set(whole), as_set(cut))) << "seed " << seed;
      EXPECT_TRUE(std::ranges::includes(as_set(cut), fewer)) << "seed " << seed;
      fewer = as_set(cut);
    }
  }
}

/// An algorithm for another device: of hundreds of thousands of combinations, it takes none.
TEST(CublasltLearning, AlgorithmsThatTakeNothingAreGivenUp) {
  InventedLibrary library;
  auto& algo = library.algos[7];
  algo.capabilities.custom_max = 200;
  for (unsigned i = 0; i < 30; ++i) algo.capabilities.tiles.push_back(100 + i);
  for (unsigned i = 0; i < 10; ++i) algo.capabilities.stages.push_back(30 + i);
  const auto learnt = enumerate_algo(library, 7);
  EXPECT_TRUE(learnt.taken.empty());
  EXPECT_TRUE(learnt.cut);
  EXPECT_EQ(library.checks, 30 * (10 + 256)) << "each tile's plain settings, and 256 more";
  EXPECT_EQ(learnt.checks, library.checks);
}

TEST(CublasltLearning, AlgorithmsThatAreRankedAreNotGivenUp) {
  InventedLibrary library;
  library.algos[7] = {.capabilities = {.tiles = {11, 12}, .stages = {31}, .custom_max = 200},
                      .boxes = {{{11, 31}, {}}, {{12, 31}, {.customs = {200}}}},
                      .ranked = {{.id = 7, .tile = 11, .stages = 31, .split_k = 1, .cluster = 9}}};
  const AlgoLimits hasty{.futile_of_a_tile = 10};
  EXPECT_EQ(as_set(enumerate_algo(library, 7, hasty)), library.everything(7));
  library.algos[7].ranked.clear();
  EXPECT_LT(as_set(enumerate_algo(library, 7, hasty)).size(), library.everything(7).size());
}

TEST(CublasltLearning, ALimitOfOnePairIsKeptAndSaid) {
  std::mt19937 random(1);
  InventedLibrary library;
  library.algos[8] = {.capabilities = {.tiles = {1}, .stages = {1}, .custom_max = 40},
                      .boxes = {{{1, 1}, {.clusters = {0, 2, 3, 4}, .customs = some_of(41, 1, random)}}}};
  const auto near = enumerate_algo(library, 8, {.checks = 10'000, .accepted_of_a_pair = 10});
  EXPECT_TRUE(near.cut);
  EXPECT_LT(near.taken.size(), library.everything(8).size());
}

TEST(CublasltLearning, IsTheSameWhicheverAnswersComeFirst) {
  std::mt19937 random(11);
  const auto library = invent_library(random);
  for (const std::int64_t checks : {2000, 1'000'000}) {
    const AlgoLimits limits{.checks = checks, .accepted_of_a_pair = 30};
    const auto expected = enumerate_algos(library, limits);
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto found = enumerate_algos(UnevenLibrary(library, seed), limits);
      ASSERT_EQ(found.size(), 3U);
      for (const auto& [id, learnt] : found) {
        EXPECT_EQ(learnt.checks, expected.at(id).checks) << "seed " << seed;
        EXPECT_EQ(learnt.cut, expected.at(id).cut) << "seed " << seed;
        EXPECT_TRUE(std::ranges::equal(learnt.taken, expected.at(id).taken, {}, &Taken::config, &Taken::config))
            << "seed " << seed;
        EXPECT_TRUE(std::ranges::is_sorted(learnt.taken, {}, &Taken::config));
      }
    }
  }
}

TEST(CublasltLearning, AsksOnSeveralThreads) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "this machine has one thread";
  const WaitingLibrary library;
  enumerate_algos(library);
  EXPECT_GT(library.threads(), 1U);
}

TEST(CublasltLearning, AnUnknownAlgorithmTakesNothing) {
  EXPECT_TRUE(enumerate_algo(InventedLibrary{}, 7, unlimited).taken.empty());
}

}  // namespace
}  // namespace gemmtune::cublaslt
