#include "gemmtune/search/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/measure/sampler.h"
#include "tests/measure/invented_samples.h"
#include "tests/search/tile_space.h"
#include "tests/search/toy_space.h"

namespace gemmtune {
namespace {

/// A device that never was: times by tile_time_us() with noise, a clock that is slower in each batch.
class InventedDevice {
 public:
  explicit InventedDevice(std::uint64_t seed) : engine_(seed) {}

  std::set<Candidate> wrong{};      // found so by screening
  std::set<Candidate> disproved{};  // found so by the proof

  std::vector<Batch> run(Strategy& strategy) {
    std::vector<Batch> batches;
    for (auto batch = strategy.ask(); !batch.empty(); batch = strategy.ask()) {
      drift_ *= 1.01;
      auto candidates = batch.candidates;
      std::shuffle(candidates.begin(), candidates.end(), engine_);  // answers come in any order
      for (const auto& candidate : candidates) strategy.tell(answer(candidate, batch));
      batches.push_back(std::move(batch));
    }
    return batches;
  }

 private:
  Evaluation answer(const Candidate& candidate, const Batch& batch) {
    Evaluation evaluation{.candidate = candidate, .stage = batch.stage};
    const bool fails = batch.stage == Stage::prove ? disproved.contains(candidate) : wrong.contains(candidate);
    if (fails) evaluation.outcome = Outcome::wrong_result;
    if (fails || batch.stage == Stage::prove) return evaluation;
    const std::int64_t usual = batch.stage == Stage::screen ? 3 : 40;
    std::vector<double> samples_us;
    for (std::int64_t i = 0; i < (batch.samples > 0 ? batch.samples : usual); ++i)
      samples_us.push_back(tile_time_us(candidate) * drift_ * std::normal_distribution<double>(1, 0.005)(engine_));
    evaluation.timing = summarise(invented::independent(samples_us), false);
    return evaluation;
  }

  std::mt19937_64 engine_;
  double drift_{1};
};

double least_time_us(const std::vector<Candidate>& candidates) {
  double least = tile_time_us(candidates.front());
  for (const auto& candidate : candidates) least = std::min(least, tile_time_us(candidate));
  return least;
}

std::size_t looked_at(const std::vector<Batch>& batches) {
  std::set<Candidate> seen;
  for (const auto& batch : batches) seen.insert(batch.candidates.begin(), batch.candidates.end());
  return seen.size();
}

class Race : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Race, FindsTheFastestWithoutLookingAtAllAndSaysHowSure) {
  const auto candidates = tile_candidates();
  RaceStrategy race(candidates);
  const auto batches = InventedDevice(GetParam()).run(race);
  ASSERT_EQ(batches.back().stage, Stage::prove);
  const double regret = tile_time_us(batches.back().candidates.front()) / least_time_us(candidates) - 1;
  EXPECT_LE(regret, 0.03);
  EXPECT_LT(looked_at(batches), candidates.size() / 2);
  ASSERT_TRUE(race.claim());
  EXPECT_EQ(race.claim()->probability, 0.95);
  EXPECT_LE(race.claim()->regret, 0.1);
  EXPECT_TRUE(race.ask().empty()) << "it is over";
}

TEST_P(Race, NeverAsksForWhatIsOutAndGetsToAProofThatHolds) {
  const auto candidates = tile_candidates();
  InventedDevice device(GetParam());
  std::mt19937_64 engine(GetParam());
  for (const auto& candidate : candidates) {
    if (engine() % 3 == 0) device.wrong.insert(candidate);
    if (engine() % 3 == 0) device.disproved.insert(candidate);
  }
  RaceStrategy race(candidates);
  std::set<Candidate> out;
  for (const auto& batch : device.run(race)) {
    for (const auto& candidate : batch.candidates) {
      EXPECT_FALSE(out.contains(candidate)) << candidate.name;
      if (device.wrong.contains(candidate)) out.insert(candidate);
    }
    if (batch.stage == Stage::prove && device.disproved.contains(batch.candidates.front()))
      out.insert(batch.candidates.front());
  }
  EXPECT_TRUE(race.claim());
}

/// Passes everything on, and holds what is named as likely against what was asked for.
class Watched final : public Strategy {
 public:
  explicit Watched(Strategy& inner) : inner_(inner) {}

  std::string_view name() const override { return inner_.name(); }
  void tell(const Evaluation& evaluation) override { inner_.tell(evaluation); }
  Batch ask() override {
    auto batch = inner_.ask();
    if (batch.stage == Stage::screen)
      for (const auto& candidate : batch.candidates) hits += likely_.contains(candidate) ? 1 : 0;
    seen_.insert(batch.candidates.begin(), batch.candidates.end());
    const auto next = inner_.likely_next();
    likely_ = {next.begin(), next.end()};
    EXPECT_LE(likely_.size(), RaceRules{}.likely);
    for (const auto& candidate : likely_) EXPECT_FALSE(seen_.contains(candidate)) << candidate.name;
    EXPECT_TRUE(batch.stage == Stage::screen || likely_.empty());
    return batch;
  }

  std::size_t hits{};

 private:
  Strategy& inner_;
  std::set<Candidate> seen_;
  std::set<Candidate> likely_;
};

TEST_P(Race, NamesWhatLaterWavesMayAskFor) {
  RaceStrategy race(tile_candidates(), {.first_wave = 8, .wave = 2});
  Watched watched(race);
  InventedDevice(GetParam()).run(watched);
  EXPECT_GT(watched.hits, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Race, testing::Range<std::uint64_t>(1, 21));

TEST(RaceClaims, HoldAsOftenAsTheySay) {
  const auto candidates = tile_candidates();
  int held = 0;
  constexpr int times = 60;
  for (std::uint64_t seed = 1; seed <= times; ++seed) {
    RaceStrategy race(candidates);
    const auto winner = InventedDevice(seed).run(race).back().candidates.front();
    const double regret = tile_time_us(winner) / least_time_us(candidates) - 1;
    held += regret <= race.claim()->regret ? 1 : 0;
  }
  EXPECT_GE(held, 54) << "of " << times << ", at 95 %";
}

TEST(RaceStart, HasWhatIsFastOnShapesNearBy) {
  Hearsay hearsay;
  for (const auto* name : {"toy_0099", "toy_0098"}) hearsay.add({"toy", name}, 0, 1);
  hearsay.add({"toy", "gone"}, 0, 1);
  RaceStrategy race(toy_candidates(100), {}, hearsay);
  const auto names = race.ask().candidates;
  EXPECT_EQ(names.size(), 26U);
  EXPECT_EQ(std::ranges::count(names, "toy_0099", &Candidate::name), 1);
  EXPECT_EQ(std::ranges::count(names, "toy_0098", &Candidate::name), 1);
}

bool has(const Batch& batch, const std::string& name) {
  return std::ranges::count(batch.candidates, name, &Candidate::name) == 1;
}

TEST(RaceRounds, TakeMoreSamplesOfFewerAndConfirmTheDefaultChoice) {
  RaceStrategy race(toy_candidates(24));
  const auto batches = play(race, [](const Candidate& c, Stage stage) {
    const auto number = std::stoi(c.name.substr(4));
    return timed(c, stage, number == 0 ? 900 : 100 + 0.3 * number);
  });
  ASSERT_EQ(batches.size(), 6U);
  EXPECT_EQ(batches[1].samples, 8);
  EXPECT_EQ(batches[1].candidates.size(), 23U) << "all but the default choice are within what screening cannot tell";
  EXPECT_EQ(batches[2].samples, 16);
  EXPECT_LT(batches[2].candidates.size(), 23U);
  EXPECT_EQ(batches[3].samples, 0);
  EXPECT_LE(batches[3].candidates.size(), 7U);
  EXPECT_TRUE(has(batches[3], "toy_0000"));
  EXPECT_EQ(batches[4].stage, Stage::confirm);
  EXPECT_EQ(batches[4].samples, 0);
  EXPECT_FALSE(has(batches[4], "toy_0000")) << "it is far behind";
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(batches[i].placement, static_cast<std::int64_t>(i) - 1);
  EXPECT_EQ(batches[5].stage, Stage::prove);
}

TEST(RaceRounds, ConfirmADefaultChoiceThatIsMerelyInaccurate) {
  for (const bool inaccurate : {true, false}) {
    RaceStrategy race(toy_candidates(24));
    const auto batches = play(race, [&](const Candidate& c, Stage stage) {
      const auto number = std::stoi(c.name.substr(4));
      if (number == 0) return inaccurate ? imprecise(c, stage, 50) : failed(c, stage, Outcome::wrong_result);
      return timed(c, stage, 100 + number);
    });
    std::size_t confirmed = 0;
    for (const auto& batch : batches)
      if (batch.stage != Stage::screen) confirmed += std::ranges::count(batch.candidates, "toy_0000", &Candidate::name);
    EXPECT_EQ(confirmed, inaccurate ? 1U : 0U);
    EXPECT_EQ(batches.back().stage, Stage::prove);
    EXPECT_EQ(batches.back().candidates.front().name, "toy_0001") << "what is wrong wins nothing";
  }
}

TEST(RaceRounds, AreLeftOutWhereFewAreLeft) {
  RaceStrategy race(toy_candidates(4));
  const auto batches =
      play(race, [](const Candidate& c, Stage stage) { return timed(c, stage, c.name == "toy_0002" ? 10 : 11); });
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[0].candidates.size(), 4U);
  EXPECT_EQ(batches[1].samples, 0);
  EXPECT_EQ(batches[2].candidates.front().name, "toy_0002");
}

/// Times that are known well at each placement, and differ between placements: `share` up or down by chance.
class MovingOperands {
 public:
  explicit MovingOperands(double share) : share_(share) {}

  std::size_t confirmations_of(RaceStrategy& race) {
    std::size_t confirmations = 0;
    for (auto batch = race.ask(); !batch.empty(); batch = race.ask()) {
      confirmations += batch.stage == Stage::confirm && batch.samples == 0 ? 1 : 0;
      for (const auto& candidate : batch.candidates)
        race.tell(timed(candidate, batch.stage, 100 * std::normal_distribution<double>(1, share_)(engine_)));
    }
    return confirmations;
  }

 private:
  double share_;
  std::mt19937_64 engine_{1};
};

TEST(RaceConfirms, UntilTheRegretIsWhatIsAimedAt) {
  const auto confirmations = [](double regret) {
    RaceStrategy race(toy_candidates(6), {.regret = regret});
    const auto count = MovingOperands(0.01).confirmations_of(race);
    EXPECT_EQ(race.claim()->target, regret);
    EXPECT_EQ(race.claim()->is_reached(), race.claim()->regret <= regret);
    return count;
  };
  EXPECT_EQ(confirmations(1), 2U) << "one confirmation does not show what a placement gives";
  EXPECT_GT(confirmations(0.02), 2U);
  EXPECT_EQ(confirmations(0), RaceRules{}.confirmations) << "which nothing reaches";
}

TEST(RaceConfirms, OnceWhereAllOthersAreFarBehind) {
  RaceStrategy race(toy_candidates(6));
  const auto batches =
      play(race, [](const Candidate& c, Stage stage) { return timed(c, stage, c.name == "toy_0004" ? 100 : 120); });
  EXPECT_EQ(std::ranges::count(batches, Stage::confirm, &Batch::stage), 1);
  EXPECT_LT(race.claim()->regret, 0.001);
}

/// What the forecast does not expect, it does not look for.
TEST(RaceDraws, AShareOfTheCandidatesAtRandomAndSaysWhatThatBuys) {
  const auto candidates = tile_candidates();
  RaceStrategy race(candidates);
  const auto seen = looked_at(InventedDevice(1).run(race));
  const auto claim = *race.claim();
  EXPECT_EQ(claim.unseen, candidates.size() - seen);
  EXPECT_GT(claim.unseen, 0U);
  EXPECT_GE(claim.drawn, seen / 12);
  EXPECT_NEAR(claim.unseen_faster, largest_share_unseen(claim.drawn, 0.95), 1e-12);
}

TEST(RaceDraws, NothingWhereAllAreMeasuredAnyway) {
  RaceStrategy race(toy_candidates(20));
  play(race, [](const Candidate& c, Stage stage) { return timed(c, stage, 100 + std::stoi(c.name.substr(4))); });
  EXPECT_EQ(race.claim()->unseen, 0U);
  EXPECT_EQ(race.claim()->drawn, 0U);
  EXPECT_EQ(race.claim()->unseen_faster, 0);
}

TEST(RaceEnds, WithoutAClaimWhenNothingIsRight) {
  RaceStrategy race(tile_candidates());
  const auto batches = play(race, [](const Candidate& c, Stage s) { return failed(c, s, Outcome::unsupported); });
  EXPECT_EQ(looked_at(batches), tile_candidates().size()) << "anything not seen might have been right";
  for (const auto& batch : batches) EXPECT_EQ(batch.stage, Stage::screen);
  EXPECT_EQ(race.claim(), std::nullopt);
}

TEST(RaceEnds, AtOnceWithoutCandidates) {
  RaceStrategy race({});
  EXPECT_TRUE(race.ask().empty());
  EXPECT_EQ(race.claim(), std::nullopt);
}

TEST(RaceEnds, WhenAllAreDisproved) {
  RaceStrategy race(toy_candidates(30));
  const auto batches = play(race, [](const Candidate& c, Stage stage) {
    return stage == Stage::prove ? failed(c, stage, Outcome::wrong_result) : timed(c, stage, 100);
  });
  EXPECT_EQ(std::ranges::count(batches, Stage::prove, &Batch::stage), 30);
  EXPECT_EQ(race.claim(), std::nullopt);
}

/// Libraries offer thousands: what the search itself takes must be little beside the kernels.
TEST(RaceCost, OfThousandsOfCandidatesIsSecondsAtMost) {
  std::vector<Candidate> candidates;
  for (int tile = 0; tile < 50; ++tile)
    for (int rest = 0; rest < 60; ++rest) {
      candidates.push_back({.family = "many", .name = "many_" + std::to_string(candidates.size())});
      for (const int value : {tile, rest / 10, rest % 10, 1, 2, 3, 4})
        candidates.back().params.push_back({std::string(1, static_cast<char>('a' + candidates.back().params.size())),
                                            std::to_string(64 + value) + "x16"});
    }
  const std::vector<double> samples_us{100, 101, 102};
  const auto start = std::clock();
  RaceStrategy race(candidates);
  for (int wave = 0; wave < 2; ++wave) {
    const auto batch = race.ask();
    for (const auto& candidate : batch.candidates)
      race.tell({.candidate = candidate,
                 .stage = Stage::screen,
                 .timing = summarise(invented::independent(samples_us), false)});
  }
  EXPECT_FALSE(race.ask().empty());
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

TEST(RaceTalk, ComplainsOfWhatItDidNotAskFor) {
  RaceStrategy race(toy_candidates(2));
  const auto batch = race.ask();
  EXPECT_THROW(race.ask(), Error);
  EXPECT_THROW(race.tell(timed(batch.candidates[0], Stage::confirm, 1)), Error);
  race.tell(timed(batch.candidates[0], Stage::screen, 1));
  EXPECT_THROW(race.tell(timed(batch.candidates[0], Stage::screen, 1)), Error);
}

}  // namespace
}  // namespace gemmtune
