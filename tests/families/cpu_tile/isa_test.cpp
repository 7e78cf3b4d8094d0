#include "gemmtune/families/cpu_tile/isa.h"

#include <gtest/gtest.h>

namespace gemmtune::cpu_tile {
namespace {

DeviceInfo device_of(const std::string& label) { return {.features = features_of_isa(label)}; }

bool is_built(const std::string& label) { return why_not_isa(label, device_of(label)).empty(); }

TEST(Isa, EveryCpuRunsThePortableKernels) { EXPECT_EQ(why_not_isa("portable", DeviceInfo{}), ""); }

TEST(Isa, ABuildHasTheKernelsOfOneArchitecture) {
  const bool x86 = is_built("avx2"), arm = is_built("neon");
  EXPECT_FALSE(x86 && arm);
  for (const char* label : {"avx2", "avxvnni", "avx512", "avx512vnni", "avx512bf16", "amxint8", "amxbf16"}) {
    EXPECT_EQ(why_not_isa(label, device_of(label)), x86 ? "" : "this gemmtune is not built for x86-64") << label;
  }
  for (const char* label : {"neon", "neonbf16", "neondot", "neoni8mm"}) {
    EXPECT_EQ(why_not_isa(label, device_of(label)), arm ? "" : "this gemmtune is not built for 64-bit Arm") << label;
  }
}

TEST(Isa, NamesTheMissingFeatures) {
  if (is_built("avx2")) {
    EXPECT_EQ(why_not_isa("avx2", {.features = {"avx2"}}), "the CPU has no fma, f16c");
  }
  if (is_built("neon")) {
    EXPECT_EQ(why_not_isa("neoni8mm", device_of("neondot")), "the CPU has no i8mm");
  }
}

}  // namespace
}  // namespace gemmtune::cpu_tile
