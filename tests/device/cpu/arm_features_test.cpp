#include "gemmtune/device/cpu/arm_features.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gemmtune {
namespace {

using Features = std::vector<std::string>;

std::string auxv(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint64_t)};
}

TEST(ArmFeatures, ReadsBothWords) {
  const std::uint64_t hwcap = 1U << 1 | 1U << 10 | 1U << 20 | 1U << 22, hwcap2 = 1U << 13 | 1U << 14;
  EXPECT_EQ(arm_features(auxv({33, 0xffff000, 16, hwcap, 6, 4096, 26, hwcap2, 0, 0})),
            (Features{"asimd", "asimdhp", "asimddp", "sve", "i8mm", "bf16"}));
  EXPECT_EQ(arm_features(auxv({16, 0xff, 26, 0, 0, 0})), (Features{"asimd"}));  // a Cortex-A53
}

TEST(ArmFeatures, NothingIsKnownWithoutAWholeEntry) {
  EXPECT_EQ(arm_features(""), Features{});
  EXPECT_EQ(arm_features(auxv({6, 4096})), Features{});
  EXPECT_EQ(arm_features(auxv({16, 0xff}).substr(0, 15)), Features{});
}

}  // namespace
}  // namespace gemmtune
