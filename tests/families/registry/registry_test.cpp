// Nobody would notice a family that is built but never runs. Here each must compute at least one problem correctly.
#include "gemmtune/families/registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gemmtune/core/error.h"
#include "tests/families/check/family_check.h"
#include "tests/support/hopper.h"

namespace gemmtune {
namespace {

/// One problem for each kind of operand. Every family must support at least one of them.
constexpr const char* problems[]{"33x65x128:f32:f32:f32",
                                 "33x65x128:bf16:bf16:bf16",
                                 "33x65x128:int8/row:int8/row:bf16",
                                 "33x65x128:e4m3/row:e4m3/row:bf16",
                                 "33x65x256:e4m3/1x128:e4m3/128x128:bf16",
                                 "33x65x128:e2m1/1x32:e2m1/1x32:bf16:packed",
                                 "33x64x128:e2m1/1x32:e2m1/1x32:bf16:packed",
                                 "33x65x128:e4m3/1x32:e4m3/1x32:bf16:packed"};

/// How many of the problems the family supports. The family's default candidate computes each of these.
int exercised(const KernelFamily& family, const DeviceInfo& device) {
  int count = 0;
  for (const char* text : problems) {
    const Problem problem = parse_problem(text);
    if (!family.supports(problem, device)) continue;
    const auto candidates = family.candidates(problem, device);
    EXPECT_FALSE(candidates.empty()) << family.name() << " supports " << text << " without a candidate";
    if (candidates.empty()) continue;
    const auto first = family.default_candidate(problem, device);
    EXPECT_TRUE(first && *first == candidates.front()) << family.name() << " has another default for " << text;
    EXPECT_EQ(check::why_wrong(family, {.problem = text, .seed = 11}, candidates.front()), "");
    ++count;
  }
  return count;
}

TEST(Registry, NoFamilyIsAskedAboutOperandsWhereItCannotReachThem) {
  auto elsewhere = check::this_cpu();
  elsewhere.kind = DeviceKind::hip;
  for (const auto& family : make_families()) {
    if (family->runs_on() == DeviceKind::hip) continue;
    const auto support = family->supports(parse_problem(problems[0]), elsewhere);
    EXPECT_NE(support.why_not.find("only"), std::string::npos) << family->name() << ": " << support.why_not;
  }
}

TEST(Registry, EveryFamilyThatWasBuiltIsExercised) {
  const auto families = make_families();
  EXPECT_FALSE(families.empty());
  for (const auto& family : families) {
    const auto device = check::device_of(*family);
    if (!device) continue;  // a GPU's family on a machine without one
    const auto opened = open_device(device_id(*device));
    const int count = exercised(*family, *device);
    RecordProperty(std::string(family->name()), count);
    EXPECT_GT(count, 0) << family->name() << " supports none of the problems of this test";
  }
}

/// Spaces of kernels for Hopper are searched without one. A problem that a family supports has a candidate in it.
TEST(Registry, WhatAHopperFamilySupportsHasACandidate) {
  constexpr const char* types[]{"bf16:bf16:bf16",
                                "fp16:fp16:f32",
                                "e4m3/row:e4m3/row:bf16",
                                "bf16/fp8_row:e4m3/tensor:bf16",
                                "a8w8_blockscale",
                                "bf16/fp8_1x128:e4m3/128x128:f32",
                                "mxfp8",
                                "a4w4:packed",
                                "a16w4",
                                "a16w4_nvfp4:out=f32",
                                "e4m3/row:e2m1/1x32:bf16:packed",
                                "e4m3/tensor:e2m1/1x32:f32:packed:batch=3",
                                "a16w4_fp8",
                                "f32/fp8_row:e2m1/1x32:f32:bias:packed:batch=3"};
  int supported = 0;
  for (const auto& family : make_families()) {
    if (family->runs_on() != DeviceKind::cuda || family->name() == "cublaslt") continue;  // that asks the library
    for (const int m : {1, 65, 1000})
      for (const int n : {1, 96, 2112})
        for (const char* of : types) {
          const auto problem = parse_problem(fmt::format("{}x{}x7168:{}", m, n, of));
          if (!family->supports(problem, h100)) continue;
          ++supported;
          EXPECT_TRUE(family->default_candidate(problem, h100)) << family->name() << " " << to_string(problem);
        }
  }
  if (supported == 0) GTEST_SKIP() << "built without families for CUDA";
}

TEST(Registry, NamesAreUniqueAndVersionsSaid) {
  std::set<std::string> names;
  for (const auto& family : make_families()) {
    EXPECT_TRUE(names.insert(std::string(family->name())).second) << family->name();
    EXPECT_FALSE(family->version().empty()) << family->name();
  }
}

/// The kernels of libraries are the library's, whatever becomes of the folder that calls them.
TEST(Registry, TrialsOfOurOwnKernelsAreOfTheirSources) {
  const std::set<std::string_view> of_libraries{"onednn", "openblas", "cublaslt"};
  for (const auto& family : make_families()) {
    const auto recorded = family->version_of_build();
    EXPECT_TRUE(recorded.starts_with(family->version())) << recorded;
    EXPECT_EQ(recorded.find(", build ") == std::string::npos, of_libraries.contains(family->name()))
        << family->name() << ' ' << recorded;
  }
}

/// A feature that problems may get one day: no family knows it, so every family must refuse it.
TEST(Registry, EveryFamilyRefusesAFeatureThatItDoesNotKnow) {
  for (const int number : {12, 30, 60}) {  // a type, a scaling and an option
    const auto invented = static_cast<Feature>(number);
    for (const auto& family : make_families()) {
      auto device = check::this_cpu();
      device.kind = family->runs_on();
      const auto why = why_not_asked(*family, features_of(parse_problem(problems[0])).with({invented}), device);
      EXPECT_EQ(why, std::string(family->name()) + " does not handle feature " + std::to_string(number));
    }
  }
}

/// prepare() must refuse what supports() refuses: a name in a table is no way around it.
TEST(Registry, WhatAFamilyDoesNotDeclareIsNeitherSupportedNorPrepared) {
  const char* asked[]{"33x65x128:f32:f32:f32:nn",        "33x65x128:f32:f32:f32:tt",
                      "33x65x128:f32:f32:f32:ldc=80",    "33x65x128:f32:f32:f32:relu",
                      "33x65x128:f32:f32:f32:residual",  "33x65x128:f32:f32:f32:silu",
                      "33x65x128:f32:f32:f32:gelu_tanh", "33x65x128:f32:f32:f32:gelu_erf"};
  for (const auto& family : make_families()) {
    auto device = check::this_cpu();
    device.kind = family->runs_on();
    for (const char* text : asked) {
      const auto problem = parse_problem(text);
      if (features_of(problem).without(family->features()).empty()) continue;
      EXPECT_NE(family->supports(problem, device).why_not.find("does not handle"), std::string::npos) << text;
      EXPECT_THROW(static_cast<void>(family->prepare(problem, {.name = std::string(family->name())}, device)), Error);
    }
  }
}

// Families that compile at run time must refuse names that they gave to candidates of another problem.
TEST(Registry, SourcesForUnsupportedProblemsAreRefused) {
  const DeviceInfo hopper{.kind = DeviceKind::cuda, .arch = "sm90", .cu_num = 132};
  const auto packed = parse_problem("16x8192x8192:a4w4:packed");
  auto unpacked = packed;
  unpacked.packed = false;
  int tried = 0;
  for (const auto& family : make_families()) {
    if (!family->name().starts_with("mxfp4_") || !family->supports(packed, hopper)) continue;
    const auto candidate = family->candidates(packed, hopper).front();
    if (family->kernels(packed, candidate, hopper).empty()) continue;
    EXPECT_THROW(static_cast<void>(family->kernels(unpacked, candidate, hopper)), Error) << family->name();
    ++tried;
  }
  if (tried == 0) GTEST_SKIP() << "no family that compiles at run time was built";
}

TEST(Registry, EveryRefusalHasAReason) {
  for (const auto& family : make_families()) {
    for (const char* text : problems) {
      const Support elsewhere = family->supports(parse_problem(text), {.kind = DeviceKind::hip, .arch = "gfx000"});
      EXPECT_FALSE(elsewhere.why_not.empty()) << family->name() << " claims to run on a device that does not exist";
    }
  }
}

}  // namespace
}  // namespace gemmtune
