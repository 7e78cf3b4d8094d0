#include "gemmtune/cli/serve/processor_time.h"

#include <gtest/gtest.h>

#include "gemmtune/cli/serve/device_load.h"

namespace gemmtune {
namespace {

TEST(ProcessorTime, LeavesOutIdleAndWaitingTime) {
  const auto time = parse_processor_time("cpu  10 2 30 400 50 6 7 8 90 100\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  EXPECT_EQ(time, (ProcessorTime{.busy = 10 + 2 + 30 + 6 + 7 + 8, .total = 513}));
  EXPECT_EQ(parse_processor_time("cpu 1 2 3 4 5"), (ProcessorTime{.busy = 6, .total = 15}));
}

TEST(ProcessorTime, OtherTextsSayNothing) {
  EXPECT_EQ(parse_processor_time(""), std::nullopt);
  EXPECT_EQ(parse_processor_time("cpu 1 2 3"), std::nullopt);
  EXPECT_EQ(parse_processor_time("cpu0 1 2 3 4 5 6 7 8"), std::nullopt);
}

TEST(DeviceLoad, OfACpuIsAShareOfTheTimeSinceTheLastCall) {
  const auto load = load_of({.kind = DeviceKind::cpu});
  EXPECT_EQ(load->share(), std::nullopt);
  std::optional<double> share;
  while (!share) share = load->share();  // until the kernel has counted a tick
  EXPECT_GE(*share, 0);
  EXPECT_LE(*share, 1);
}

}  // namespace
}  // namespace gemmtune
