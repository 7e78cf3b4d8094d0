#include "gemmtune/shapes/capture_shapes.h"

#include <gtest/gtest.h>

#include "gemmtune/shapes/tuning_cost.h"
#include "gemmtune/table/aiter_csv.h"

namespace gemmtune {
namespace {

CapturedProblem captured(std::int64_t m, MatchKind match, double expected_us, std::int64_t calls = 10) {
  return {.gfx = "gfx942",
          .cu_num = 304,
          .problem = {.m = m, .n = 64, .k = 128},
          .match = match,
          .calls = calls,
          .expected_us = expected_us};
}

/// Rows for M = 16 (2 µs) and M = 64 (8 µs).
TunedTimes tuned() {
  TunedTimes times;
  times.add(read_tuned_table(
      parse_csv("cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,kernelName,err_ratio,"
                "tflops,bw\n"
                "304,16,64,128,False,torch.bfloat16,torch.bfloat16,False,False,a,1,0,2.0,k,0,0,0\n"
                "304,64,64,128,False,torch.bfloat16,torch.bfloat16,False,False,a,1,0,8.0,k,0,0,0\n",
                "t.csv"),
      Format::a16w16));
  return times;
}

TEST(SavedUs, IsAShareOfTheTimeWhereNothingElseIsKnown) {
  const TunedTimes nothing;
  EXPECT_EQ(saved_us(captured(20, MatchKind::exact, 10), nothing), 0);
  EXPECT_EQ(saved_us(captured(20, MatchKind::padded_fine, 10), nothing), 0.5);
  EXPECT_EQ(saved_us(captured(20, MatchKind::padded_coarse, 10), nothing), 1.5);
  EXPECT_EQ(saved_us(captured(20, MatchKind::nearest, 10), nothing), 2);
  EXPECT_EQ(saved_us(captured(20, MatchKind::fallback, 10), nothing), 10 * 0.5 / 1);
}

TEST(SavedUs, OfACallOfUnknownTimeGoesByARoughEstimate) {
  const auto call = captured(4096, MatchKind::fallback, 0);
  EXPECT_EQ(saved_us(call, {}), rough_time_us(call.problem));
}

TEST(SavedUs, WhatIsTunedByNowIsSettled) {
  EXPECT_EQ(saved_us(captured(64, MatchKind::fallback, 0), tuned()), 0);
  EXPECT_EQ(saved_us(captured(64, MatchKind::exact, 8), tuned()), 0);
}

TEST(SavedUs, NeighboursSayWhatATunedKernelWouldTake) {
  EXPECT_EQ(saved_us(captured(40, MatchKind::padded_coarse, 8), tuned()), 3);
  EXPECT_EQ(saved_us(captured(40, MatchKind::padded_coarse, 4), tuned()), 0);  // the captured call was faster
  EXPECT_EQ(saved_us(captured(40, MatchKind::fallback, 0), tuned()), 5);
  EXPECT_EQ(saved_us(captured(65, MatchKind::nearest, 8), tuned()), 8 * share_saved(MatchKind::nearest));
}

TEST(SavedUs, AnExactMatchWhoseRowIsGoneIsLikeAFallback) {
  EXPECT_EQ(saved_us(captured(40, MatchKind::exact, 5), tuned()), 5);
}

TEST(CaptureShapes, AreWeighedByCallsTimesTimeSavedHeaviestFirst) {
  const std::vector rows{captured(20, MatchKind::padded_fine, 10, 100), captured(30, MatchKind::exact, 10, 999),
                         captured(40, MatchKind::nearest, 10, 100), captured(20, MatchKind::padded_coarse, 10, 2)};
  const auto made = capture_shapes(rows, {});
  ASSERT_EQ(made.shapes.size(), 2U);
  EXPECT_EQ(made.shapes[0].problem.m, 40);
  EXPECT_EQ(made.shapes[0].weight, 200);
  EXPECT_EQ(made.shapes[1].problem.m, 20);
  EXPECT_EQ(made.shapes[1].weight, 50 + 3);
  EXPECT_EQ(made.calls, 1201);
  EXPECT_EQ(made.settled, 1U);
  EXPECT_EQ(made.settled_calls, 999);
}

}  // namespace
}  // namespace gemmtune
