#include "gemmtune/device/cpu/cpu_clock.h"

#include <gtest/gtest.h>

#include "fake_tree.h"
#include "gemmtune/device/cpu/cpu_info.h"

namespace gemmtune {
namespace {

TEST(CpuClock, ReadsCpufreqInMegahertz) {
  const FakeTree files;
  for (const int cpu : allowed_cpus()) {
    files.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq", "2450123\n");
  }
  EXPECT_DOUBLE_EQ(CpuClock(files.tree()).read().clock_mhz, 2450.123);
}

TEST(CpuClock, FallsBackToCpuinfoOfItsOwnCpu) {
  const FakeTree files;
  std::string cpuinfo = "processor\t: 99999\ncpu MHz\t\t: 1.0\n\n";
  for (const int cpu : allowed_cpus()) {
    cpuinfo += "processor\t: " + std::to_string(cpu) + "\nmodel name\t: x\ncpu MHz\t\t: 3100.5\n\n";
  }
  files.write("/proc/cpuinfo", cpuinfo);
  EXPECT_DOUBLE_EQ(CpuClock(files.tree()).read().clock_mhz, 3100.5);
}

TEST(CpuClock, IsZeroAndUnthrottledWhereNothingIsTold) {
  const FakeTree files;
  const ClockReading reading = CpuClock(files.tree()).read();
  EXPECT_EQ(reading.clock_mhz, 0.0);
  EXPECT_FALSE(reading.throttled);
}

TEST(CpuClock, SaysThrottledWhenTheKernelsCountGrew) {
  const FakeTree files;
  const auto count = [&](const std::string& text) {
    for (const int cpu : allowed_cpus()) {
      files.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/thermal_throttle/package_throttle_count",
                  text);
    }
  };
  count("5\n");
  CpuClock clock(files.tree());
  EXPECT_FALSE(clock.read().throttled);
  count("6\n");
  EXPECT_TRUE(clock.read().throttled);
  EXPECT_FALSE(clock.read().throttled);
}

}  // namespace
}  // namespace gemmtune
