// Both vendors' GPUs in one process, through invented drivers.
#include "gemmtune/device/gpu/vendor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gemmtune/device/gpu/gpu_device.h"
#include "gemmtune/device/gpu/gpu_module.h"
#include "tests/device/gpu/invented_driver.h"

namespace gemmtune {
namespace {

using testing::ElementsAre;

template <DeviceKind kind>
gpu::Vendor invented() {
  class Silent final : public gpu::Monitor {
    ClockReading read() const override { return {}; }
    double power_limit_w() const override { return 0; }
  };
  return {.kind = kind,
          .arch_prefix = kind == DeviceKind::cuda ? "sm" : "gfx",
          .driver_libraries = {"libc.so.6"},  // any library that is there
          .make_driver = [](SharedLibrary) -> std::shared_ptr<const gpu::Driver> {
            return std::make_shared<InventedDriver>(kind);
          },
          .make_monitor = [](const std::string&) -> std::unique_ptr<const gpu::Monitor> {
            return std::make_unique<Silent>();
          }};
}

const std::vector<gpu::Vendor> both{invented<DeviceKind::cuda>(), invented<DeviceKind::hip>()};

TEST(Vendors, AreBothInEveryBuildOrSayWhyNot) {
  std::vector<DeviceKind> kinds;
  for (const auto& vendor : gpu::vendors()) {
    kinds.push_back(vendor.kind);
    EXPECT_EQ(vendor.left_out.empty(), vendor.make_driver != nullptr) << kind_name(vendor.kind);
    EXPECT_TRUE(vendor.left_out.empty() || vendor.left_out.find("header") != std::string::npos) << vendor.left_out;
  }
  EXPECT_THAT(kinds, ElementsAre(DeviceKind::cuda, DeviceKind::hip));
}

TEST(Vendors, TheirDevicesAreListedSideBySide) {
  std::vector<std::string> ids;
  for (const auto& gpu : list_gpus(both)) ids.push_back(device_id(gpu) + " " + gpu.arch);
  EXPECT_THAT(ids, ElementsAre("cuda:0 sm90", "cuda:1 sm90", "hip:0 gfx942", "hip:1 gfx942"));
}

TEST(Vendors, ADeviceIsOpenedByItsOwnDriver) {
  for (const auto& info : list_gpus(both)) {
    const auto device = make_gpu_device(info, both);
    EXPECT_EQ(device_id(device->info()), device_id(info));
    const auto buffer = device->allocate(16);
    device->fill(buffer.data(), 16, 0x1234);
    std::vector<std::byte> found(16);
    device->download(buffer.data(), found);
    EXPECT_EQ(found[1], std::byte{0x12});
  }
}

TEST(Vendors, CodeOfOneVendorIsNotLoadedByTheOther) {
  const auto amd = std::make_shared<InventedDriver>(DeviceKind::hip);
  EXPECT_NO_THROW(GpuModule({.kind = DeviceKind::hip, .bytes = "code"}, amd));
  EXPECT_THROW(GpuModule({.kind = DeviceKind::cuda, .bytes = "code"}, amd), Error);
}

TEST(Vendors, AModuleOfOneVendorIsNotLaunchedOnAStreamOfTheOther) {
  const auto nvidia = make_gpu_device(list_gpus(both).front(), both);
  const auto amd = std::make_shared<InventedDriver>(DeviceKind::hip);
  const GpuModule module({.kind = DeviceKind::hip, .bytes = "code"}, amd);
  module.launch(nvidia->stream(), module.function("kernel"), {});
  EXPECT_THROW(nvidia->stream().synchronize(), Error);
}

TEST(Vendors, ArchitecturesSayWhoseTheyAre) {
  EXPECT_EQ(gpu::kind_of_arch("sm90a"), DeviceKind::cuda);
  EXPECT_EQ(gpu::kind_of_arch("gfx950"), DeviceKind::hip);
  EXPECT_THROW(static_cast<void>(gpu::kind_of_arch("x86-64-avx2")), Error);
}

}  // namespace
}  // namespace gemmtune
