#include "gemmtune/search/claim.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(LargestShareUnseen, IsWhatSoManyDrawnWouldNotHaveMissed) {
  EXPECT_EQ(largest_share_unseen(0, 0.95), 1) << "nothing was drawn, and anything may be";
  EXPECT_NEAR(largest_share_unseen(1, 0.95), 0.95, 1e-12);
  EXPECT_NEAR(largest_share_unseen(59, 0.95), 0.05, 0.001);
}

TEST(ClaimInWords, IsShortWhenAllWereMeasured) {
  EXPECT_EQ(in_words({.regret = 0.013, .probability = 0.95, .target = 0.02}), "regret at most 1.3 % (95 % sure)");
}

TEST(ClaimInWords, NamesWhatItSupposesOfTheUnseenAndWhatTheDrawnShow) {
  const auto text = in_words({.regret = 0.013,
                              .probability = 0.95,
                              .target = 0.02,
                              .unseen = 812,
                              .drawn = 24,
                              .unseen_faster = largest_share_unseen(24, 0.95)});
  EXPECT_EQ(
      text,
      "regret at most 1.3 % (95 % sure if the times of the 812 candidates not measured follow from their "
      "parameters as forecast; of 24 measured because they were drawn at random, none was faster by more, so that "
      "it is 95 % sure without any forecast that at most 12 % of those not measured are)");
}

TEST(ClaimInWords, SaysThatTheTargetWasNotReached) {
  EXPECT_EQ(in_words({.regret = 0.05, .probability = 0.95, .target = 0.02}),
            "regret at most 5.0 % (95 % sure), and not 2.0 %: measuring longer taught nothing more");
}

}  // namespace
}  // namespace gemmtune
