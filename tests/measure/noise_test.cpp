#include "gemmtune/measure/noise.h"

#include <gtest/gtest.h>

#include <vector>

namespace gemmtune {
namespace {

TEST(Noise, IsRemarkedOnWhenMoreThanHalfOfTheTimesScatter) {
  EXPECT_EQ(
      noise_remark(std::vector{0.06, 0.2, 0.01}),
      "noise: 2 of 3 times have a spread above 5 %, so the device is probably busy with other work: measure again "
      "when nothing else runs");
  EXPECT_EQ(noise_remark(std::vector{0.06, 0.01}), "") << "half of them";
  EXPECT_EQ(noise_remark(std::vector{0.05, 0.05}), "");
  EXPECT_EQ(noise_remark({}), "");
}

}  // namespace
}  // namespace gemmtune
