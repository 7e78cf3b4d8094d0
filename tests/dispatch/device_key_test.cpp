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

}  // namespace
}  // namespace gemmtune
