#include "gemmtune/bench/roofline_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "gemmtune/bench/peaks.h"
#include "gemmtune/device/cpu/cpu_device.h"
#include "tests/bench/invented_contenders.h"

namespace gemmtune {
namespace {

using testing::HasSubstr;

Roofline invented_roofline() {
  const auto device = invented_context().device;
  return {.device_name = device.name,
          .arch = device.arch,
          .cu_num = device.cu_num,
          .driver = "6.1",
          .date = "2026-11-28T10:00:00Z",
          .copy_gbps = 100.25,
          .peaks = {{"bf16", {2.5, invented_problem(), "toy_1", "2026-11-28T10:01:00Z"}}}};
}

TEST(RooflineOf, WhatLimitsIsThePeakOrTheBandwidth) {
  const auto roofline = invented_roofline();
  const auto large = parse_problem("4096x4096x4096:a16w16");
  EXPECT_EQ(attainable_tflops(roofline, large), 2.5);
  const auto small = parse_problem("1x4096x4096:a16w16");
  EXPECT_NEAR(*attainable_tflops(roofline, small), flops(small) / moved_bytes(small) * 100.25e-3, 1e-9);
  EXPECT_FALSE(attainable_tflops(roofline, parse_problem("1x4096x4096:a8w8"))) << "int8 was not measured";
  auto without_copies = roofline;
  without_copies.copy_gbps = 0;
  EXPECT_FALSE(attainable_tflops(without_copies, large));
}

TEST(RooflineOf, KeysAreWhatIsMultiplied) {
  EXPECT_EQ(peak_key(parse_problem("1x32x32:a4w4")), "e2m1");
  EXPECT_EQ(peak_key(parse_problem("1x128x128:a8w8_blockscale")), "e4m3");
  EXPECT_EQ(peak_key(parse_problem("1x32x32:bf16:e2m1/1x32:bf16")), "bf16:e2m1");
}

TEST(RooflineFile, ReadsBackAsItWas) {
  const auto roofline = invented_roofline();
  EXPECT_EQ(parse_roofline(roofline_json(roofline).dump(), "r.json"), roofline);
}

TEST(RooflineFile, SaysWhatIsWrongWithIt) {
  const auto why = [](const std::string& text) { return caught([&] { parse_roofline(text, "r.json"); }); };
  EXPECT_EQ(why("{").code, ErrorCode::input);
  EXPECT_THAT(why("{}").message, HasSubstr("r.json: this is no roofline: "));
  auto newer = roofline_json(invented_roofline());
  newer["version"] = 2;
  EXPECT_THAT(why(newer.dump()).message, HasSubstr("found version 2, expected 1"));
  auto odd = roofline_json(invented_roofline());
  odd["peaks"]["bf16"]["problem"] = "64 x 64";
  EXPECT_EQ(why(odd.dump()).code, ErrorCode::input);
}

TEST(RooflineFile, EachKindOfDeviceHasOne) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "rooflines";
  auto device = invented_context().device;
  EXPECT_FALSE(remembered_roofline(path, device));
  EXPECT_TRUE(remembered_rooflines(path).empty());
  EXPECT_EQ(remember(path, invented_roofline()).filename(), "invented-cpu_x86-64-avx2_8.json");
  device.index = 3;
  device.driver = "6.2";
  EXPECT_EQ(remembered_roofline(path, device), invented_roofline()) << "the cards of a host are alike";
  device.cu_num = 16;
  EXPECT_FALSE(remembered_roofline(path, device));
  auto other = invented_roofline();
  other.cu_num = 16;
  remember(path, other);
  EXPECT_EQ(remembered_rooflines(path).size(), 2U);
}

TEST(RooflineFile, WhatIsNotMeasuredAgainStays) {
  const TemporaryFolder folder;
  remember(folder.path(), invented_roofline());
  auto later = invented_roofline();
  later.date = "2026-11-29T10:00:00Z";
  later.copy_gbps = 120;
  later.peaks = {{"int8", {5, invented_problem(), "toy_2", later.date}}};
  remember(folder.path(), later);
  const auto known = remembered_roofline(folder.path(), invented_context().device);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->copy_gbps, 120);
  EXPECT_EQ(known->peaks.size(), 2U);
  EXPECT_EQ(known->peaks.at("bf16").tflops, 2.5);
}

TEST(RooflineFile, ADamagedOneIsReported) {
  const TemporaryFolder folder;
  const auto path = remember(folder.path(), invented_roofline());
  std::ofstream(path) << "{\"version\": 1,";
  EXPECT_EQ(caught([&] { remembered_roofline(folder.path(), invented_context().device); }).code, ErrorCode::input);
  EXPECT_TRUE(remembered_rooflines(folder.path()).empty());
  remember(folder.path(), invented_roofline());
  EXPECT_TRUE(remembered_roofline(folder.path(), invented_context().device)) << "the damaged file is replaced";
}

TEST(Peaks, OneProblemForEachType) {
  const auto all = peak_problems({}, 512);
  EXPECT_EQ(all.size(), 6U);
  for (const auto& problem : all) {
    EXPECT_EQ(why_invalid(problem), "") << to_string(problem);
    EXPECT_TRUE(problem.packed && problem.m == 512 && problem.n == 512 && problem.k == 512);
  }
  EXPECT_EQ(peak_problems({"fp16"}, 64).at(0).a.type, DType::f16) << "spelled as PyTorch does";
  EXPECT_THAT(caught([] { peak_problems({"bf15"}, 64); }).message, HasSubstr("expected some of bf16,f16,f32"));
}

TEST(Peaks, TheFastestOfAnyFamily) {
  BenchWorld world({{"toy_0", 30}, {"other_0", 5}, {"toy_1", 10}});
  const auto problem = invented_problem();
  const auto result = measure_peak(world.evaluator, problem, world.plan.tune);
  ASSERT_TRUE(result && result->peak);
  EXPECT_EQ(result->peak->kernel, "other_0");
  EXPECT_EQ(result->peak->tflops, tflops(problem, 5));
  world.plan.tune.families = {"toy"};
  EXPECT_EQ(measure_peak(world.evaluator, problem, world.plan.tune)->peak->kernel, "toy_1");
  world.fake.candidates.clear();
  EXPECT_THAT(measure_peak(world.evaluator, problem, world.plan.tune)->why_none, HasSubstr("toy: no candidates"));
}

TEST(Peaks, CopiesAreTimed) {
  auto info = open_device("cpu")->info();
  info.memory_bytes = 32 << 20;  // the measurement copies an eighth of it
  const double gbps = copy_bandwidth_gbps(*make_cpu_device(info));
  EXPECT_GT(gbps, 0.01);
  EXPECT_LT(gbps, 1e5);
}

}  // namespace
}  // namespace gemmtune
