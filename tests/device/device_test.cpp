#include "gemmtune/device/device.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

TEST(DeviceInfo, IdIsKindAndIndex) {
  EXPECT_EQ(device_id({.kind = DeviceKind::cpu, .index = 0}), "cpu:0");
  EXPECT_EQ(device_id({.kind = DeviceKind::cuda, .index = 1}), "cuda:1");
  EXPECT_EQ(device_id({.kind = DeviceKind::hip, .index = 7}), "hip:7");
}

TEST(DeviceInfo, HasWholeFeaturesOnly) {
  const DeviceInfo info{.features = {"avx512f", "avx2"}};
  EXPECT_TRUE(info.has("avx2"));
  EXPECT_FALSE(info.has("avx"));
  EXPECT_FALSE(info.has("avx512"));
}

TEST(ListDevices, StartsWithTheCpu) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(device_id(devices.front()), "cpu:0");
}

TEST(OpenDevice, TakesShortAndLongIds) {
  for (const char* id : {"cpu", "cpu:0", " CPU "}) EXPECT_EQ(device_id(open_device(id)->info()), "cpu:0") << id;
}

TEST(OpenDevice, SaysWhatThereIs) {
  for (const char* id : {"cpu:9", "tpu", "", "cpu:x"}) {
    try {
      open_device(id);
      FAIL() << "opened " << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::no_device) << id;
      EXPECT_NE(std::string(error.what()).find("cpu:0"), std::string::npos) << id;
    }
  }
}

TEST(Buffer, ReleasesOnceAndMoves) {
  int released = 0;
  std::byte memory{};
  {
    Buffer buffer(&memory, 1, [&](std::byte*) { ++released; });
    Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.data(), &memory);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace gemmtune
