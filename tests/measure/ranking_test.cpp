#include "gemmtune/measure/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/measure/invented_samples.h"

namespace gemmtune {
namespace {

using invented::Noise;

struct Sizes {
  std::int64_t workspace_bytes{};
  std::int64_t packed_bytes{};
  std::int64_t split_k{1};
};

Evaluation timed(std::string name, double median_us, double half_width_us, Sizes sizes = {}) {
  return {.candidate = {.family = "f", .name = std::move(name), .split_k = sizes.split_k},
          .timing = {.median_us = median_us,
                     .low_us = median_us - half_width_us,
                     .high_us = median_us + half_width_us,
                     .sample_count = 11,
                     .packed_bytes = sizes.packed_bytes,
                     .workspace_bytes = sizes.workspace_bytes}};
}

std::vector<std::string> names(const std::vector<Evaluation>& evaluations, const std::vector<std::size_t>& indices) {
  std::vector<std::string> result;
  for (const auto i : indices) result.push_back(evaluations[i].candidate.name);
  return result;
}

using Names = std::vector<std::string>;

TEST(Rank, ByMedianWhenAllAreApart) {
  const std::vector<Evaluation> all{timed("c", 30, 1), timed("a", 10, 1), timed("b", 20, 1)};
  const auto ranking = rank(all);
  EXPECT_EQ(names(all, ranking.order), (Names{"a", "b", "c"}));
  EXPECT_EQ(names(all, ranking.tied), (Names{"a"}));
}

TEST(Rank, OnlyRightAndTimedOnesCount) {
  std::vector<Evaluation> all{timed("wrong", 1, 0), timed("crashed", 1, 0), timed("untimed", 0, 0),
                              timed("right", 9, 0)};
  all[0].outcome = Outcome::wrong_result;
  all[1].outcome = Outcome::crashed;
  EXPECT_EQ(names(all, rank(all).order), (Names{"right"}));
  EXPECT_TRUE(rank({}).order.empty());
  EXPECT_TRUE(rank({}).tied.empty());
}

/// Sizes come from other programs. A sum that overflowed would be the least.
TEST(Rank, MemoryThatOverflowsIsTheMost) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  const std::vector<Evaluation> all{timed("overflows", 100, 1, {.workspace_bytes = largest, .packed_bytes = largest}),
                                    timed("little", 100.1, 1, {.workspace_bytes = 64, .packed_bytes = 64})};
  EXPECT_EQ(names(all, rank(all).order), (Names{"little", "overflows"}));
  EXPECT_EQ(memory_bytes(all[0].timing), largest);
  EXPECT_EQ(memory_bytes(all[1].timing), 128);
}

TEST(Rank, TiedOnesGoByMemoryThenSplitThenName) {
  const std::vector<Evaluation> all{
      timed("fastest", 100, 1, {.workspace_bytes = 64}), timed("z_small", 100.4, 1, {.packed_bytes = 32}),
      timed("split", 100.1, 1, {.workspace_bytes = 32, .split_k = 2}),
      timed("a_small", 100.2, 1, {.workspace_bytes = 16, .packed_bytes = 16}), timed("behind", 110, 1)};
  const auto ranking = rank(all);
  EXPECT_EQ(names(all, ranking.order), (Names{"a_small", "z_small", "split", "fastest", "behind"}));
  EXPECT_EQ(names(all, ranking.tied), (Names{"a_small", "z_small", "split", "fastest"}));
}

TEST(Rank, TiedOnesOfEqualMeansGoByTimeAndTheNearestByName) {
  const std::vector<Evaluation> all{timed("a", 101.5, 2), timed("b", 100.4, 2), timed("c", 100, 2), timed("d", 101, 2)};
  EXPECT_EQ(names(all, rank(all).order), (Names{"b", "c", "d", "a"}));
}

TEST(Rank, HalfAPercentIsATieHoweverSureTheIntervals) {
  const std::vector<Evaluation> all{timed("b", 100, 0), timed("a", 100.5, 0), timed("aa", 100.6, 0)};
  EXPECT_EQ(names(all, rank(all).tied), (Names{"a", "b"}));
}

TEST(Rank, OverlapTiesWithinTwoPercentOnly) {
  const std::vector<Evaluation> all{timed("fast", 100, 2), timed("near", 101.5, 2), timed("apart", 103, 4),
                                    timed("noisy", 120, 60)};
  EXPECT_EQ(names(all, rank(all).tied), (Names{"fast", "near"}));
}

TEST(Rank, OnlyTiesWithTheFastestCount) {
  // c overlaps b and b overlaps a, but c does not overlap a.
  const std::vector<Evaluation> all{timed("a", 100, 1), timed("b", 101.8, 1), timed("c", 103.6, 1)};
  EXPECT_EQ(names(all, rank(all).tied), (Names{"a", "b"}));
}

std::vector<Evaluation> random_field(Noise& noise) {
  std::vector<Evaluation> all;
  const auto count = 1 + noise.below(12);
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(timed("k" + std::to_string(i), 100 + static_cast<double>(noise.below(8)),
                        static_cast<double>(noise.below(5)) / 2,
                        {.workspace_bytes = static_cast<std::int64_t>(noise.below(3)),
                         .split_k = 1 + static_cast<std::int64_t>(noise.below(2))}));
  return all;
}

TEST(RankProperty, OrderOfArrivalDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Noise noise(seed);
    auto all = random_field(noise);
    const auto before = names(all, rank(all).order);
    const auto tied_before = names(all, rank(all).tied);
    std::shuffle(all.begin(), all.end(), noise.engine());
    EXPECT_EQ(names(all, rank(all).order), before) << "seed " << seed;
    EXPECT_EQ(names(all, rank(all).tied), tied_before) << "seed " << seed;
  }
}

TEST(RankProperty, TheFastestIsTiedAndNoneOutsideTheTieIsFaster) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Noise noise(seed);
    const auto all = random_field(noise);
    const auto ranking = rank(all);
    ASSERT_EQ(ranking.order.size(), all.size()) << "seed " << seed;
    double fastest = all[ranking.tied.front()].timing.median_us;
    for (const auto i : ranking.tied) fastest = std::min(fastest, all[i].timing.median_us);
    for (std::size_t i = ranking.tied.size(); i < ranking.order.size(); ++i)
      EXPECT_GT(all[ranking.order[i]].timing.median_us, fastest * 1.005) << "seed " << seed;
    EXPECT_LE(all[ranking.order.front()].timing.median_us, fastest * 1.02) << "seed " << seed;
  }
}

// Removing a loser must not change who wins.
TEST(RankProperty, LosersDoNotDecide) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Noise noise(seed);
    auto all = random_field(noise);
    const auto ranking = rank(all);
    if (ranking.order.size() == ranking.tied.size()) continue;
    const auto winner = all[ranking.order.front()].candidate.name;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(ranking.order.back()));
    EXPECT_EQ(all[rank(all).order.front()].candidate.name, winner) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gemmtune
