#include "gemmtune/tune/packing_look.h"

#include <gtest/gtest.h>

#include "tests/tune/fake_evaluator.h"

namespace gemmtune {
namespace {

const Candidate plain_winner{.family = "toy", .name = "toy_plain"};

ShapeResult tuned(const std::string& problem, double time_us, double weight = 1) {
  return {.shape = {.problem = parse_problem(problem), .weight = weight},
          .winner = answered(plain_winner, Stage::confirm, time_us)};
}

/// What the look finds of one shape whose winner took 100 us, if its packed candidates take `packed_us`, and the winner
/// takes `now_us` now.
std::vector<PackingGain> found(FakeWorld& world, double packed_us, double now_us = 100) {
  world.candidates = {{.family = "toy", .name = "toy_panel"}, {.family = "other", .name = "other_panel"}};
  world.answer = [=](const Problem& problem, const Candidate& candidate, Stage stage) {
    return answered(candidate, stage, problem.packed ? packed_us : now_us);
  };
  FakeEvaluator evaluator(world, 0);
  const std::vector results{tuned("16x64x64:bf16:bf16:bf16", 100)};
  return look_at_packing(evaluator, worth_a_look_at_packing(results), {}, false);
}

TEST(PackingLook, FindsWhatIsFasterForSure) {
  FakeWorld world;
  const auto gains = found(world, 60);
  ASSERT_EQ(gains.size(), 1U);
  EXPECT_EQ(to_string(gains[0].problem), "16x64x64:bf16:bf16:bf16");
  EXPECT_EQ(gains[0].kernel, "toy_panel");
  EXPECT_EQ(gains[0].packed_us, 60);
  EXPECT_EQ(gains[0].unpacked_us, 100);
  const std::string packed = "16x64x64:bf16:bf16:bf16:packed";
  EXPECT_EQ(world.log, (std::vector<Asked>{{packed, "toy_panel", Stage::screen},
                                           {packed, "toy_panel", Stage::confirm},
                                           {"16x64x64:bf16:bf16:bf16", "toy_plain", Stage::confirm}}))
      << "the family `other` had no finalist";
}

TEST(PackingLook, AWinnerThatIsDelayedNowMakesNoGain) {
  FakeWorld world;
  EXPECT_TRUE(found(world, 91, 300).empty());
  EXPECT_EQ(found(world, 80, 300).size(), 1U);
}

TEST(PackingLook, SmallGainsAreNoneAndCostNoMoreThanAScreening) {
  FakeWorld world;
  EXPECT_TRUE(found(world, 95).empty());
  EXPECT_EQ(world.evaluation_count(), 1U);
}

TEST(PackingLook, LooksAtTheLongestShapeOfEachLayerThatMayNotPack) {
  std::vector<ShapeResult> results{tuned("1x64x64:bf16:bf16:bf16", 100), tuned("16x64x64:bf16:bf16:bf16", 90, 2),
                                   tuned("1x64x64:f32:f32:f32:packed", 900), tuned("1x32x64:bf16:bf16:bf16", 19),
                                   tuned("1x96x64:bf16:bf16:bf16", 500)};
  results.push_back({.shape = {.problem = parse_problem("1x48x64:bf16:bf16:bf16")}, .why_failed = "no family"});
  const auto worth = worth_a_look_at_packing(results);
  ASSERT_EQ(worth.size(), 2U);
  EXPECT_EQ(worth[0], &results[4]);
  EXPECT_EQ(worth[1], &results[1]);
  for (int n = 1; n < 9; ++n) results.push_back(tuned(fmt::format("8x{}x8:f32:f32:f32", n), 50));
  EXPECT_EQ(worth_a_look_at_packing(results).size(), 4U);
}

}  // namespace
}  // namespace gemmtune
