#include "gemmtune/families/cpu_tile/block_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gemmtune/families/cpu_tile/isa.h"

namespace gemmtune::cpu_tile {
namespace {

DeviceInfo machine(const std::vector<std::string>& labels, std::int64_t cores) {
  DeviceInfo info{.cu_num = cores};
  std::set<std::string> features;
  for (const auto& label : labels) features.insert(features_of_isa(label).begin(), features_of_isa(label).end());
  info.features.assign(features.begin(), features.end());
  return info;
}

const std::vector<std::vector<std::string>>& machines() {
  static const std::vector<std::vector<std::string>> all{{},
                                                         {"avx2"},
                                                         {"avxvnni"},
                                                         {"avx512vnni"},
                                                         {"avx512vnni", "avx512bf16", "avxvnni", "amxint8"},
                                                         {"neon"},
                                                         {"neondot", "neoni8mm"}};
  return all;
}

bool is_built(const std::string& isa) { return why_not_isa(isa, machine({isa}, 1)).empty(); }

Space space_of(const std::string& problem, const DeviceInfo& info) {
  return make_block_space(parse_problem(problem), info);
}

TEST(BlockSpace, OffersSomeButNotTooManyCandidates) {
  for (const auto& labels : machines())
    for (const std::int64_t cores : {1, 2, 3, 16, 96})
      for (const char* sizes :
           {"1x64x32", "1x4096x14336", "3x70x100", "16x4096x4096", "33x47x1120", "512x4096x14336", "8192x28672x8192"})
        for (const char* types : {":a8w4", ":a16w4", ":a8wq8", ":f32:e2m1/1x16:f32"}) {
          const auto space = space_of(std::string(sizes) + types, machine(labels, cores));
          const std::size_t count = space.points().size();
          EXPECT_GE(count, 1U) << sizes << types << " " << cores;
          EXPECT_LE(count, 60U) << sizes << types << " " << cores << " cores, " << labels.size() << " isas";
        }
}

TEST(BlockSpace, NamesSayTheTypesAndParseBack) {
  if (!is_built("avx512bf16")) GTEST_SKIP() << "not built for x86-64";
  const Space space = space_of("64x4096x4096:a8w4", machine({"avx512vnni"}, 16));
  EXPECT_EQ(space.name(space.points().front()), "cpu_tile_q8xmxfp4_avx512vnni_m12_kc1024_nb256_t16");
  for (const Point& point : space.points()) {
    const auto parsed = space.parse(space.name(point));
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(std::equal(point.values().begin(), point.values().end(), parsed->values().begin()));
  }
}

TEST(BlockSpace, FewRowsHaveOneLowTileAndAllOfK) {
  if (!is_built("avx512bf16")) GTEST_SKIP() << "not built for x86-64";
  const DeviceInfo info = machine({"avx512bf16"}, 2);
  const auto space = space_of("1x4096x14336:a16w4", info);
  for (const Point& point : space.points()) {
    EXPECT_EQ(point["m"], 1);
    EXPECT_EQ(point["kc"], 14336);
  }
  const Space eight = space_of("8x4096x14336:a16w4", info);
  EXPECT_EQ(eight.name(eight.points().front()), "cpu_tile_bf16xmxfp4_avx512bf16_m8_kc14336_nb256_t2");
}

TEST(BlockSpace, TilesOfDecodedColumnsAreTriedForManyRows) {
  if (!is_built("avx512bf16")) GTEST_SKIP() << "not built for x86-64";
  const auto has = [](const char* problem, const char* isa, std::int64_t height) {
    const Space space = space_of(problem, machine({isa}, 2));
    const auto points = space.points();
    return std::any_of(points.begin(), points.end(),
                       [&](const Point& p) { return p.label("isa") == isa && p["m"] == height; });
  };
  EXPECT_TRUE(has("512x4096x14336:a8wq8", "avx512vnni", 6));
  EXPECT_TRUE(has("512x4096x14336:a16w4", "avx512bf16", 6));
  EXPECT_TRUE(has("512x4096x14336:a8w4", "avx512vnni", 12));
  EXPECT_FALSE(has("12x4096x14336:a8w4", "avx512vnni", 6));
}

TEST(BlockSpace, OnlyBf16HasPairs) {
  if (!is_built("avx512bf16")) GTEST_SKIP() << "not built for x86-64";
  const DeviceInfo info = machine({"avx512bf16"}, 2);
  const auto first_isa = [&](const char* problem) {
    const auto space = space_of(problem, info);
    return std::string(space.points().front().label("isa"));
  };
  EXPECT_EQ(first_isa("8x64x256:bf16:e2m1/1x32:bf16"), "avx512bf16");
  EXPECT_EQ(first_isa("8x64x256:fp16:e2m1/1x32:bf16"), "avx512");
}

}  // namespace
}  // namespace gemmtune::cpu_tile
