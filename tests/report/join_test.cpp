#include "gemmtune/report/join.h"

#include <gtest/gtest.h>

#include "tests/report/invented_measurements.h"

namespace gemmtune {
namespace {

Measurement said_little(std::int64_t m, const DeviceTag& device = {}) {
  auto measurement = timed(m, "triton", 5);
  measurement.shape.device = device;
  measurement.shape.problem = parse_problem(std::to_string(m) + "x512x4096:bf16:bf16:bf16");
  measurement.shape.types_known = false;
  measurement.where = "bench.csv:2";
  return measurement;
}

TEST(Join, TakesDeviceAndTypesFromTheOthers) {
  const auto readings = joined({.measurements = {timed(64, "asm", 4), said_little(64), said_little(65)}});
  EXPECT_EQ(readings.measurements[1].shape, invented_shape(64));
  EXPECT_EQ(readings.measurements[2].shape, invented_shape(65)) << "no other measurement has these sizes";
  EXPECT_EQ(readings.notes,
            (std::vector<std::string>{
                "bench.csv does not say its types: taken for e2m1/1x32:e2m1/1x32:bf16:packed, as in the others",
                "bench.csv says nothing of its device: taken for gfx950/256"}));
}

TEST(Join, TypesOfTheSameSizesComeFirst) {
  auto other = timed(128, "ck", 4);
  other.shape.problem = parse_problem("128x512x4096:a8w8");
  const auto readings =
      joined({.measurements = {timed(64, "asm", 4), other, said_little(64), said_little(128), said_little(65)}});
  EXPECT_EQ(readings.measurements[2].shape.problem, invented_shape(64).problem);
  EXPECT_EQ(readings.measurements[3].shape.problem, other.shape.problem);
  EXPECT_FALSE(readings.measurements[4].shape.types_known) << "it may be either";
}

TEST(Join, WhatIsAmbiguousStaysApart) {
  auto elsewhere = timed(64, "asm", 4);
  elsewhere.shape.device = {.gfx = "gfx942", .cu_num = 304};
  const auto readings = joined(
      {.measurements = {timed(64, "asm", 4), elsewhere, said_little(64), said_little(64, {.gfx = "", .cu_num = 304})}});
  EXPECT_EQ(to_string(readings.measurements[2].shape.device), "");
  EXPECT_EQ(to_string(readings.measurements[3].shape.device), "gfx942/304");
}

TEST(Join, AitersRuleComesLast) {
  auto cpu = timed(64, "onednn", 4);
  cpu.shape.device = {.gfx = "x86-64-avx2", .cu_num = 80};
  const DeviceTag eighty{.gfx = "", .cu_num = 80};
  EXPECT_EQ(joined({.measurements = {cpu, said_little(64, eighty)}}).measurements[1].shape.device.gfx, "x86-64-avx2");
  EXPECT_EQ(joined({.measurements = {said_little(64, eighty)}}).measurements[0].shape.device.gfx, "gfx942");
  const auto unknown =
      joined({.measurements = {said_little(64, {.gfx = "", .cu_num = 7}), said_little(65, eighty), said_little(66)}});
  EXPECT_EQ(to_string(unknown.measurements[0].shape.device), "?/7");
  EXPECT_EQ(to_string(unknown.measurements[2].shape.device), "gfx942/80") << "takes the device that the rule gave";
}

}  // namespace
}  // namespace gemmtune
