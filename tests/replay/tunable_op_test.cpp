#include "gemmtune/replay/tunable_op.h"

#include <gtest/gtest.h>

#include "tests/replay/recorded_shapes.h"

namespace gemmtune {
namespace {

// Without noise, so that each count of runs shows in the time spent.
TEST(TunableOp, RunsLessOfWhatIsBehind) {
  const RecordedShape shape{.candidates = {recorded_toy("first", 1, {100}),       // 2 + 3 + 10 + 100 runs
                                           recorded_toy("far_behind", 1, {151}),  // 2 + 3
                                           recorded_toy("behind", 1, {116}),      // 2 + 3 + 10
                                           recorded_toy("near", 1, {114}),        // all
                                           recorded_toy("faster", 1, {90}),       // all
                                           recorded_toy("long", 1, {130})}};      // 2 + 3 + 10: behind "faster"
  const auto run = tunable_op(shape, 1);
  EXPECT_EQ(run.winner, "faster");
  EXPECT_NEAR(run.device_s, 1e-6 * (115 * 100 + 5 * 151 + 15 * 116 + 115 * 114 + 115 * 90 + 15 * 130), 1e-12);
  EXPECT_EQ(run.looked_at, 6);
}

TEST(TunableOp, StopsTheFullRunAtThirtyMilliseconds) {
  const RecordedShape shape{.candidates = {recorded_toy("slow", 1, {5000})}};
  EXPECT_NEAR(tunable_op(shape, 1).device_s, 5e-3 * (2 + 3 + 10 + 6), 1e-12);
}

TEST(TunableOp, SkipsWhatFails) {
  RecordedShape shape{.candidates = {recorded_toy("wrong", 1, {}), recorded_toy("right", 1, {100})}};
  shape.candidates[0].outcome = Outcome::wrong_result;
  EXPECT_EQ(tunable_op(shape, 1).winner, "right");
  shape.candidates.pop_back();
  EXPECT_EQ(tunable_op(shape, 1).winner, "");
}

}  // namespace
}  // namespace gemmtune
