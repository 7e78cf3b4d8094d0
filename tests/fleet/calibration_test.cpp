#include "gemmtune/fleet/calibration.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

using Devices = std::vector<std::vector<Calibration>>;
constexpr CalibrationRule rule{.far_share = 0.1};

TEST(Calibration, TellsADeviceThatIsFarFromTheOthers) {
  const Devices devices{{{0, 100}}, {{0, 102}}, {{0, 120}}};
  EXPECT_EQ(why_far_off(devices, 0, rule), "");
  EXPECT_EQ(why_far_off(devices, 1, rule), "");
  EXPECT_EQ(why_far_off(devices, 2, rule), "its calibration takes 120 us, the median of 3 devices is 102 us");
}

TEST(Calibration, AFastDeviceIsFarOffToo) {
  const Devices devices{{{0, 100}}, {{0, 102}}, {{0, 50}}, {{0, 101}}};
  EXPECT_NE(why_far_off(devices, 2, rule), "");
}

TEST(Calibration, OfTwoDevicesNobodyTellsWhichIsWrong) {
  const Devices devices{{{0, 100}}, {{0, 200}}, {}};
  EXPECT_EQ(why_far_off(devices, 0, rule), "");
  EXPECT_EQ(why_far_off(devices, 1, rule), "");
  EXPECT_EQ(why_far_off(devices, 2, rule), "");
}

TEST(Calibration, ADeviceIsHeldAgainstItself) {
  const Devices devices{{{0, 100}, {600, 105}}, {{0, 100}, {600, 130}}};
  EXPECT_EQ(why_far_off(devices, 0, rule), "");
  EXPECT_EQ(why_far_off(devices, 1, rule), "its calibration takes 130 us, at first it took 100 us");
}

TEST(Calibration, TheLatestTimesCount) {
  const Devices devices{{{0, 100}, {600, 101}}, {{0, 102}}, {{0, 100}, {600, 104}}};
  for (std::size_t i = 0; i < devices.size(); ++i) EXPECT_EQ(why_far_off(devices, i, rule), "") << i;
}

}  // namespace
}  // namespace gemmtune
