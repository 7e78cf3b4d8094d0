// What cpu_tile offers for float problems on CPUs of many kinds: how many candidates, in which order, by which names.
// Everything that it offers for this CPU must be right.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gemmtune/core/error.h"
#include "gemmtune/families/cpu_tile/float_problem.h"
#include "gemmtune/families/cpu_tile/isa.h"
#include "tests/families/cpu_tile/float_run.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_cpu_tile_family();

namespace {

constexpr std::size_t most_candidates = 60;

bool is_built(const std::string& isa) { return cpu_tile::why_not_isa(isa, device_with_isa(isa, 1)).empty(); }

/// An instruction set of this build with vectors of eight floats. The tiles of AVX2 and NEON have the same shapes.
std::string isa_of_eight() { return is_built("avx2") ? "avx2" : is_built("neon") ? "neon" : ""; }

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> devices;
  for (const char* isa : {"portable", "avx2", "avx512", "avx512bf16", "neon", "neonbf16"}) {
    for (const std::int64_t cores : {1, 2, 6, 64}) devices.push_back(device_with_isa(isa, cores));
  }
  for (const std::int64_t cores : {1, 16, 112}) {
    DeviceInfo everything = device_with_isa("avx512bf16", cores);
    everything.features.insert(everything.features.end(), {"amx_tile", "amx_bf16"});
    devices.push_back(everything);
  }
  return devices;
}

std::vector<Problem> problems() {
  std::vector<Problem> problems;
  for (const char* text :
       {"1x1x1:f32:f32:f32", "1x4096x4096:a16w16", "2x4096x4096:a16w16", "3x4096x14336:f32:f32:f32",
        "8x576x512:a16w16:packed", "16x28672x4096:e4m3/row:e4m3/row:bf16", "33x7168x2048:a8w8_blockscale",
        "64x17x100:fp16:fp16:fp16:bias", "512x512x512:f32:f32:f32:packed", "4096x4096x4096:a16w16:packed",
        "65536x24576x1536:a16w16", "100x100x100:bf16:int8/row:f32:batch=7", "5x3x8192:a16w16"}) {
    problems.push_back(parse_problem(text));
  }
  return problems;
}

std::string label(const Problem& problem, const DeviceInfo& device) {
  return to_string(problem) + " on " + device.arch + " with " + std::to_string(device.cu_num) + " cores";
}

TEST(FloatProblem, ScalesThatAreNotFloatsAreNotRead) {
  for (const char* text : {"4x64x64:f32:int8/1x32f16:f32", "4x64x64:bf16:int8/1x32f16:bf16:packed",
                           "4x64x64:f16/q8:int8/1x32f16:f16", "4x64x64:f16/q8:f16:f16", "4x64x64:bf16/q8:bf16:bf16"})
    EXPECT_NE(cpu_tile::why_not_float(parse_problem(text)), "") << text;
  EXPECT_EQ(cpu_tile::why_not_float(parse_problem("4x64x64:bf16:int8/row:bf16")), "");
}

TEST(FloatSpace, OffersSomethingButNotTooMuch) {
  const auto family = make_cpu_tile_family();
  for (const Problem& problem : problems()) {
    for (const DeviceInfo& device : devices()) {
      ASSERT_TRUE(family->supports(problem, device)) << label(problem, device);
      const std::size_t count = family->candidates(problem, device).size();
      EXPECT_GE(count, 1U) << label(problem, device);
      EXPECT_LE(count, most_candidates) << label(problem, device);
    }
  }
}

TEST(FloatSpace, NamesAreUniqueAndNobodyGetsMoreThreadsThanCores) {
  const auto family = make_cpu_tile_family();
  for (const Problem& problem : problems()) {
    for (const DeviceInfo& device : devices()) {
      std::set<std::string> names;
      for (const Candidate& candidate : family->candidates(problem, device)) {
        EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
        const auto threads = std::find_if(candidate.params.begin(), candidate.params.end(),
                                          [](const Param& param) { return param.key == "t"; });
        ASSERT_NE(threads, candidate.params.end());
        EXPECT_LE(std::stoll(threads->value), device.cu_num) << candidate.name;
      }
    }
  }
}

TEST(FloatSpace, TheBestInstructionSetComesFirst) {
  const auto family = make_cpu_tile_family();
  const Problem problem = parse_problem("512x4096x4096:a16w16");
  for (const char* isa : {"portable", "avx2", "avx512", "avx512bf16", "neon", "neonbf16"}) {
    if (!is_built(isa)) continue;
    const auto candidates = family->candidates(problem, device_with_isa(isa, 8));
    EXPECT_NE(candidates.front().name.find(std::string("_") + isa + "_"), std::string::npos) << candidates.front().name;
  }
}

TEST(FloatSpace, FewRowsStreamByDefault) {
  const auto family = make_cpu_tile_family();
  const DeviceInfo device = device_with_isa(is_built("neon") ? "neon" : "avx2", 2);
  EXPECT_TRUE(family->candidates(parse_problem("1x4096x4096:a16w16"), device)[0].name.starts_with("cpu_tile_stream_"));
  EXPECT_TRUE(family->candidates(parse_problem("17x4096x4096:a16w16"), device)[0].name.starts_with("cpu_tile_bf16_"));
}

/// ISA in the name stands for isa_of_eight().
void expect_refused(const char* text, std::string name, const char* reason) {
  if (const auto isa = name.find("ISA"); isa != std::string::npos) name.replace(isa, 3, isa_of_eight());
  const auto family = make_cpu_tile_family();
  const DeviceInfo device = device_with_isa(isa_of_eight(), 2);
  try {
    (void)family->prepare(parse_problem(text), {.family = "cpu_tile", .name = name}, device);
    ADD_FAILURE() << name << " was prepared";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string_view(error.what()).find(reason), std::string_view::npos) << error.what();
  }
}

TEST(FloatSpace, NamesThatDoNotFitAreRefusedWithTheReason) {
  if (isa_of_eight().empty()) GTEST_SKIP() << "this build has no vectors of eight floats";
  const char* square = "512x512x512:f32:f32:f32";
  expect_refused(square, "cpu_tile_f32_ISA_n2_m7_kc256_nc256_t2_direct",
                 "no kernel has a tile of this height and width");
  if (is_built("avx512")) {
    expect_refused(square, "cpu_tile_f32_avx512_n2_m6_kc256_nc256_t2_direct", "the CPU has no avx512f");
  }
  expect_refused(square, "cpu_tile_f32_ISA_n2_m6_kc250_nc256_t2_direct", "K block must be a positive multiple");
  expect_refused(square, "cpu_tile_f32_ISA_n2_m6_kc0_nc256_t2_direct", "K block must be a positive multiple");
  expect_refused(square, "cpu_tile_f32_ISA_n2_m6_kc256_nc0_t2_direct", "N block must not be empty");
  expect_refused(square, "cpu_tile_f32_ISA_n2_m6_kc256_nc256_t3_direct", "threads must be from 1");
  expect_refused(square, "cpu_tile_f32_ISA_n2_m6_kc256_nc256_t2_panel", "packed ahead if and only if");
  expect_refused(square, "cpu_tile_f32_ISA_n2_m-6_kc256_nc256_t2_direct",
                 "no kernel has a tile of this height and width");
  expect_refused(square, "cpu_tile_bf16_ISA_n2_m6_kc256_nc256_t2_direct", "no kernel");
  expect_refused(square, "openblas", "no kernel");
  expect_refused("1x64x64:f32:f32:f32", "cpu_tile_stream_f32_ISA_m1_n3_u1_t1", "no kernel has this many rows");
}

/// Prepares all candidates of a problem on this machine from their names alone.
class Offered : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const std::string why = why_skipped(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(Offered, EveryCandidateIsRight) {
  const auto family = make_cpu_tile_family();
  for (const char* text :
       {"1x600x520:a16w16", "4x700x300:e4m3/row:e4m3/row:bf16:packed", "13x300x700:a8w8_blockscale:bias",
        "40x200x333:f32:f32:f32:batch=2", "200x130x257:a16w16:packed:bias", "70x290x400:fp16:fp16:fp16"}) {
    const Problem problem = parse_problem(text);
    const DeviceInfo device = device_with_isa(GetParam(), 4);
    const FloatRun run(problem, Recipe::gaussian, 5);
    for (const Candidate& candidate : family->candidates(problem, device)) {
      const auto gemm = family->prepare(problem, {.family = "cpu_tile", .name = candidate.name}, device);
      EXPECT_EQ(run.why_wrong(*gemm), "") << candidate.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Offered, testing::Values("amxbf16", "avx512bf16", "avx512", "avx2", "portable"),
                         [](const auto& isa) { return isa.param; });

}  // namespace
}  // namespace gemmtune
