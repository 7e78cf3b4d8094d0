// With a folder as Linux's driver fills it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "gemmtune/device/gpu/vendor/hip.h"

namespace gemmtune::gpu {
namespace {

namespace fs = std::filesystem;

class AmdgpuMonitor : public testing::Test {
 protected:
  AmdgpuMonitor() {
    std::string pattern = (fs::temp_directory_path() / "gemmtune-amdgpu-XXXXXX").string();
    device_ = mkdtemp(pattern.data());
  }
  ~AmdgpuMonitor() override { fs::remove_all(device_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((device_ / file).parent_path());
    std::ofstream(device_ / file) << text;
  }

  fs::path path(const char* name) const { return device_ / name; }
  std::unique_ptr<const Monitor> monitor() const { return make_amdgpu_monitor(device_); }

 private:
  fs::path device_;
};

TEST_F(AmdgpuMonitor, ClockAndPowerLimit) {
  write("hwmon/hwmon7/freq1_input", "2100000000\n");
  write("hwmon/hwmon7/power1_cap", "750000000\n");
  EXPECT_DOUBLE_EQ(monitor()->read().clock_mhz, 2100);
  EXPECT_DOUBLE_EQ(monitor()->power_limit_w(), 750);
}

TEST_F(AmdgpuMonitor, EachReadingIsNew) {
  write("hwmon/hwmon0/freq1_input", "2100000000\n");
  const auto reader = monitor();
  EXPECT_DOUBLE_EQ(reader->read().clock_mhz, 2100);
  write("hwmon/hwmon0/freq1_input", "132000000\n");
  EXPECT_DOUBLE_EQ(reader->read().clock_mhz, 132);
}

TEST_F(AmdgpuMonitor, WhatIsNotThereIsZero) {
  EXPECT_EQ(monitor()->read().clock_mhz, 0);
  EXPECT_EQ(monitor()->power_limit_w(), 0);
  write("hwmon/hwmon3/freq1_input", "none\n");
  EXPECT_EQ(monitor()->read().clock_mhz, 0);
  EXPECT_EQ(monitor()->power_limit_w(), 0);
}

/// Without the driver's folder, no file of the same name elsewhere counts.
TEST_F(AmdgpuMonitor, FilesOfTheWorkingFolderAreNotRead) {
  write("elsewhere/freq1_input", "2100000000\n");
  const auto before = fs::current_path();
  fs::current_path(path("elsewhere"));
  const auto clock = monitor()->read().clock_mhz;
  fs::current_path(before);
  EXPECT_EQ(clock, 0);
}

}  // namespace
}  // namespace gemmtune::gpu
