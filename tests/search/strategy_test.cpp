// What every strategy owes its caller, whatever comes of the candidates.
#include "gemmtune/search/strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include "gemmtune/core/error.h"
#include "tests/search/toy_space.h"

namespace gemmtune {
namespace {

constexpr std::size_t most_batches = 10'000;

class AnyStrategy : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Strategy> make(std::size_t count) const { return make_strategy(GetParam(), toy_candidates(count)); }
};

// Random times and random failures, at rates that differ from seed to seed: from none to nearly all.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed) : random_(seed), failure_rate_(static_cast<double>(seed % 11) / 10.0) {}

  std::size_t candidate_count() { return std::uniform_int_distribution<std::size_t>(0, 90)(random_); }

  Evaluation operator()(const Candidate& candidate, Stage stage) {
    if (std::bernoulli_distribution(failure_rate_)(random_)) {
      return failed(candidate, stage, static_cast<Outcome>(std::uniform_int_distribution<int>(1, 6)(random_)));
    }
    return timed(candidate, stage, std::uniform_real_distribution<double>(1.0, 2.0)(random_));
  }

 private:
  std::mt19937_64 random_;
  double failure_rate_;
};

std::vector<Batch> play_random(const std::string& name, std::uint64_t seed) {
  RandomWorld world(seed);
  const auto strategy = make_strategy(name, toy_candidates(world.candidate_count()));
  return play(*strategy, std::ref(world), most_batches);
}

TEST_P(AnyStrategy, HasTheNameItWasMadeBy) { EXPECT_EQ(make(3)->name(), GetParam()); }

TEST_P(AnyStrategy, EndsAtOnceWithoutCandidates) { EXPECT_TRUE(make(0)->ask().empty()); }

TEST_P(AnyStrategy, EndsWhateverFails) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_LT(play_random(GetParam(), seed).size(), most_batches) << "seed " << seed;
  }
}

TEST_P(AnyStrategy, StaysOverOnceItIsOver) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomWorld world(seed);
    const auto strategy = make(world.candidate_count());
    play(*strategy, std::ref(world));
    EXPECT_TRUE(strategy->ask().empty()) << "seed " << seed;
  }
}

TEST_P(AnyStrategy, NeverAsksForTheSameTwiceAtAStage) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::set<std::tuple<Stage, std::int64_t, std::int64_t, Candidate>> asked;
    for (const Batch& batch : play_random(GetParam(), seed)) {
      for (const Candidate& c : batch.candidates) {
        EXPECT_TRUE(asked.insert({batch.stage, batch.samples, batch.placement, c}).second)
            << "seed " << seed << ": " << c.name;
      }
    }
  }
}

TEST_P(AnyStrategy, AsksForARepeatedCandidateOnce) {
  auto candidates = toy_candidates(4);
  for (const Candidate& again : toy_candidates(2)) candidates.push_back(again);
  EXPECT_EQ(make_strategy(GetParam(), candidates)->ask().candidates.size(), 4U);
}

TEST_P(AnyStrategy, StaysInsideTheSpace) {
  const auto space = toy_candidates(90);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const Batch& batch : play_random(GetParam(), seed)) {
      for (const Candidate& c : batch.candidates) {
        EXPECT_TRUE(std::binary_search(space.begin(), space.end(), c)) << "seed " << seed << ": " << c.name;
      }
    }
  }
}

TEST_P(AnyStrategy, AsksTheSameForTheSameAnswers) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto first = play_random(GetParam(), seed);
    const auto second = play_random(GetParam(), seed);
    ASSERT_EQ(first.size(), second.size()) << "seed " << seed;
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(first[i].candidates, second[i].candidates) << "seed " << seed;
  }
}

// Workers report in any order.
TEST_P(AnyStrategy, DoesNotCareForTheOrderOfAnswers) {
  const auto answer = [](const Candidate& c, Stage stage) {
    const auto number = std::stoi(c.name.substr(4));
    return number % 7 == 3 ? failed(c, stage, Outcome::wrong_result) : timed(c, stage, 100 + (number * 37) % 61);
  };
  const auto forward = make(60);
  const auto expected = play(*forward, answer);
  const auto backward = make(60);
  for (const Batch& batch : expected) {
    const Batch asked = backward->ask();
    EXPECT_EQ(asked.candidates, batch.candidates);
    for (auto c = asked.candidates.rbegin(); c != asked.candidates.rend(); ++c) backward->tell(answer(*c, asked.stage));
  }
  EXPECT_TRUE(backward->ask().empty());
}

TEST_P(AnyStrategy, ConfirmsAtMostTwentyTogether) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const Batch& batch : play_random(GetParam(), seed)) {
      const bool is_final = batch.stage == Stage::confirm && batch.samples == 0;
      EXPECT_TRUE(!is_final || batch.candidates.size() <= 20) << "seed " << seed;
    }
  }
}

TEST_P(AnyStrategy, ConfirmsOnlyWhatScreeningFoundRight) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RandomWorld world(seed);
    std::set<Candidate> right;
    const auto strategy = make(world.candidate_count());
    const auto asked = play(*strategy, [&](const Candidate& c, Stage stage) {
      const Evaluation evaluation = world(c, stage);
      if (stage == Stage::screen && evaluation.outcome == Outcome::ok) right.insert(c);
      EXPECT_TRUE(stage == Stage::screen || right.count(c)) << "seed " << seed << ": " << c.name;
      return evaluation;
    });
    const bool confirmed =
        std::any_of(asked.begin(), asked.end(), [](const Batch& b) { return b.stage == Stage::confirm; });
    EXPECT_EQ(confirmed, !right.empty()) << "seed " << seed;
  }
}

TEST_P(AnyStrategy, ConfirmsTheDefaultChoiceFirstOfAllHoweverSlow) {
  const auto strategy = make(50);
  const auto asked = play(*strategy, [](const Candidate& c, Stage stage) {
    return timed(c, stage, c.name == "toy_0000" ? 9000 : 1000 + std::stoi(c.name.substr(4)));
  });
  const auto first = std::ranges::find_if(
      asked, [](const Batch& batch) { return batch.stage == Stage::confirm && batch.samples == 0; });
  ASSERT_NE(first, asked.end());
  EXPECT_EQ(first->candidates.back().name, "toy_0000");
}

TEST_P(AnyStrategy, ProvesOneAtATimeUntilOneHolds) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    bool held = false;
    RandomWorld world(seed);
    const auto strategy = make(world.candidate_count());
    for (const Batch& batch : play(*strategy, [&](const Candidate&c, Stage stage) {
           EXPECT_FALSE(held) << "seed " << seed;
           const Evaluation evaluation = world(c, stage);
           held = stage == Stage::prove && evaluation.outcome == Outcome::ok;
           return evaluation;
         })) {
      EXPECT_TRUE(batch.stage != Stage::prove || batch.candidates.size() == 1) << "seed " << seed;
    }
  }
}

// A bowl with a floor at (11, 5), 3 % noise when screened and 0.2 % when confirmed.
TEST_P(AnyStrategy, FindsTheBottomOfANoisyBowl) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    const auto strategy = make(256);
    const auto asked = play(*strategy, [&](const Candidate& c, Stage stage) {
      const int number = std::stoi(c.name.substr(4));
      const double time_us = 100 + 4 * std::pow(number / 16 - 11, 2) + 3 * std::pow(number % 16 - 5, 2);
      return timed(c, stage, time_us * std::normal_distribution<>(1.0, stage == Stage::screen ? 0.03 : 0.002)(random));
    });
    ASSERT_EQ(asked.back().stage, Stage::prove);
    EXPECT_EQ(asked.back().candidates.front().name, fmt::format("toy_{:04}", 11 * 16 + 5)) << "seed " << seed;
  }
}

TEST_P(AnyStrategy, RefusesToGoOnBeforeAllWasTold) {
  const auto strategy = make(2);
  const Batch batch = strategy->ask();
  strategy->tell(timed(batch.candidates[0], batch.stage, 1));
  EXPECT_THROW(strategy->ask(), Error);
}

TEST_P(AnyStrategy, RefusesWhatItDidNotAskFor) {
  const auto strategy = make(2);
  const Batch batch = strategy->ask();
  strategy->tell(timed(batch.candidates[0], batch.stage, 1));
  EXPECT_THROW(strategy->tell(timed(batch.candidates[0], batch.stage, 1)), Error);
  EXPECT_THROW(strategy->tell(timed(batch.candidates[1], Stage::prove, 1)), Error);
}

INSTANTIATE_TEST_SUITE_P(Search, AnyStrategy, testing::ValuesIn(strategy_names()),
                         [](const auto& each) { return each.param; });

TEST(MakeStrategy, ListsTheNamesWhenItKnowsNoneSuch) {
  try {
    make_strategy("annealing", {});
    FAIL() << "an unknown name was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "there is no search named 'annealing': expected one of race, screen, exhaustive");
  }
}

}  // namespace
}  // namespace gemmtune
