#include "gemmtune/dispatch/device_key.h"

#include <gtest/gtest.h>

#include <set>

namespace gemmtune {
namespace {

TEST(DeviceKey, KnowsArchitectures) {
  const auto architecture = [](const char* gfx) { return device_key(gfx, 80).architecture; };
  EXPECT_EQ(architecture("gfx90a"), Architecture::gfx90a);
  EXPECT_EQ(architecture("gfx942"), Architecture::gfx942);
  EXPECT_EQ(architecture("gfx950"), Architecture::gfx950);
  EXPECT_EQ(architecture("gfx1250"), Architecture::gfx1250);
  EXPECT_EQ(architecture("gfx908"), Architecture::other_gfx9);
  EXPECT_EQ(architecture("gfx1100"), Architecture::other_gfx);
  EXPECT_EQ(architecture("sm90"), Architecture::cuda);
  EXPECT_EQ(architecture("sm_90a"), Architecture::cuda);
  EXPECT_EQ(architecture("x86-64-avx2"), Architecture::cpu);
}

TEST(DeviceKey, IsOfBothNameAndUnits) {
  std::set<std::uint64_t> ids;
  for (const auto* gfx : {"gfx942", "gfx950", "sm90", "x86-64-avx2", ""})
    for (std::int64_t units = 0; units < 1000; ++units) ids.insert(device_key(gfx, units).id);
  EXPECT_EQ(ids.size(), 5000U);
}

TEST(DeviceKey, FeaturesDoNotCount) { EXPECT_EQ(device_key("gfx942:sramecc+:xnack-", 304), device_key("gfx942", 304)); }

TEST(DeviceKey, AnyCountIsTheSameForAllCounts) {
  EXPECT_EQ(with_any_count(device_key("gfx942", 304)).id, device_key("gfx942", 0).id);
  EXPECT_NE(with_any_count(device_key("gfx942", 304)).id, device_key("gfx950", 0).id);
}

TEST(DeviceKey, RowsWithoutGfxAreOfAmdsDevices) {
  EXPECT_EQ(gfx_of_cu_num(256, "gfx942"), "gfx950");
  EXPECT_EQ(gfx_of_cu_num(96, "gfx1250"), "gfx1250");
  EXPECT_EQ(gfx_of_cu_num(96, "gfx1250:xnack-"), "gfx1250");
  for (const auto* live : {"", "x86-64-avx2", "sm90"}) EXPECT_EQ(gfx_of_cu_num(2, live), "gfx942") << live;
}

}  // namespace
}  // namespace gemmtune
