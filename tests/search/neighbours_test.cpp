#include "gemmtune/search/neighbours.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

namespace gemmtune {
namespace {

Problem shape(const std::string& sizes) { return parse_problem(sizes + ":bf16:bf16:bf16"); }

void add(Neighbours& neighbours, const Problem& problem, const std::vector<TimedCandidate>& candidates) {
  for (const auto& candidate : candidates) neighbours.add(problem, candidate);
}

std::optional<double> heard_of(const Hearsay& hearsay, const std::string& name) {
  const auto* log_time = hearsay.find({.family = "toy", .name = name});
  return log_time == nullptr ? std::nullopt : std::optional(*log_time);
}

TEST(Neighbours, SayHowFarBehindTheFastestACandidateWas) {
  Neighbours neighbours;
  add(neighbours, shape("64x512x512"), {{"toy", "a", 20}, {"toy", "b", 10}, {"toy", "broken", 0}});
  const auto hearsay = neighbours.about(shape("128x512x512"));
  EXPECT_NEAR(*heard_of(hearsay, "a"), std::log(2.0), 1e-12);
  EXPECT_EQ(heard_of(hearsay, "b"), 0);
  EXPECT_EQ(heard_of(hearsay, "broken"), std::nullopt);
}

TEST(Neighbours, CountMoreTheNearerTheyAre) {
  Neighbours neighbours;
  add(neighbours, shape("64x512x512"), {{"toy", "a", 10}, {"toy", "b", 40}});
  add(neighbours, shape("1024x512x512"), {{"toy", "a", 40}, {"toy", "b", 10}});
  EXPECT_LT(heard_of(neighbours.about(shape("128x512x512")), "a"), std::log(2.0));
  EXPECT_GT(heard_of(neighbours.about(shape("512x512x512")), "a"), std::log(2.0));
}

TEST(Neighbours, OfAnotherKindOrFarAwayOrTheShapeItselfSayNothing) {
  Neighbours neighbours;
  add(neighbours, shape("64x512x512"), {{"toy", "a", 10}});
  add(neighbours, shape("1x512x65536"), {{"toy", "a", 10}});
  add(neighbours, parse_problem("64x512x512:a4w4"), {{"toy", "a", 10}});
  EXPECT_TRUE(neighbours.about(shape("64x512x512")).empty());
  EXPECT_FALSE(neighbours.about(shape("64x1024x512")).empty());
}

TEST(Neighbours, OnlyTheNearestFewAreAsked) {
  Neighbours neighbours;
  for (const auto* near : {"32x512x512", "128x512x512", "64x256x512"}) add(neighbours, shape(near), {{"toy", "a", 10}});
  add(neighbours, shape("64x512x4096"), {{"toy", "far", 10}});
  EXPECT_EQ(heard_of(neighbours.about(shape("64x512x512")), "far"), std::nullopt);
}

}  // namespace
}  // namespace gemmtune
