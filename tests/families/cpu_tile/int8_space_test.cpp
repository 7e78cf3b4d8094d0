#include "gemmtune/families/cpu_tile/int8_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gemmtune/core/error.h"
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
                                                         {"avx512vnni", "avxvnni", "amxint8"},
                                                         {"neon"},
                                                         {"neondot"},
                                                         {"neondot", "neoni8mm"}};
  return all;
}

TEST(Int8Space, OffersSomeButNotTooManyCandidates) {
  for (const auto& labels : machines()) {
    for (const std::int64_t cores : {1, 2, 3, 8, 16, 96}) {
      for (const char* shape : {"1x64x32", "1x4096x4096", "3x70x100", "16x4096x4096", "33x47x1120", "64x4096x4096",
                                "256x512x7168", "4096x4096x4096", "8192x28672x8192"}) {
        const DeviceInfo info = machine(labels, cores);
        const Space int8 = make_int8_space(parse_problem(std::string(shape) + ":int8/row:int8/row:bf16:packed"), info);
        const Space mxfp4 = make_mxfp4_space(parse_problem(std::string(shape) + ":a4w4"), info);
        for (const Space* space : {&int8, &mxfp4}) {
          const std::size_t count = space->points().size();
          EXPECT_GE(count, 1U) << shape << " " << cores;
          EXPECT_LE(count, 60U) << shape << " " << cores << " cores, " << labels.size() << " isas";
        }
      }
    }
  }
}

/// The names of the first candidates, where gemmtune has the kernels.
std::string first_name(const std::string& isa, std::int64_t m) {
  const DeviceInfo info = machine({isa}, 16);
  if (const std::string why = why_not_isa(isa, info); !why.empty()) return why;
  const Space space = make_mxfp4_space(parse_problem(std::to_string(m) + "x4096x4096:a4w4"), info);
  return space.name(space.points().front());
}

bool is_built(const std::string& isa) { return why_not_isa(isa, machine({isa}, 16)).empty(); }

TEST(Int8Space, NamesParseBack) {
  const std::string isa = is_built("avx512vnni") ? "avx512vnni" : is_built("neoni8mm") ? "neoni8mm" : "portable";
  const DeviceInfo info = machine({isa}, 16);
  const Space space = make_mxfp4_space(parse_problem("64x4096x4096:a4w4"), info);
  ASSERT_FALSE(space.points().empty());
  for (const Point& point : space.points()) {
    const auto parsed = space.parse(space.name(point));
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(std::equal(point.values().begin(), point.values().end(), parsed->values().begin()));
  }
}

TEST(Int8Space, ManyRowsStartFoldedAndFewWithNibblesAndLowTiles) {
  if (is_built("avx512vnni")) {
    EXPECT_EQ(first_name("avx512vnni", 64), "cpu_tile_mxfp4_avx512vnni_fold_m6_n64_kc1024_nb256_t16");
    EXPECT_EQ(first_name("avx512vnni", 1), "cpu_tile_mxfp4_avx512vnni_nibble_m4_n64_kc1024_nb256_t16");
  } else if (is_built("neoni8mm")) {
    EXPECT_EQ(first_name("neoni8mm", 64), "cpu_tile_mxfp4_neoni8mm_fold_m8_n32_kc1024_nb256_t16");
    EXPECT_EQ(first_name("neoni8mm", 1), "cpu_tile_mxfp4_neoni8mm_nibble_m2_n32_kc1024_nb256_t16");
    EXPECT_EQ(first_name("neondot", 1), "cpu_tile_mxfp4_neondot_nibble_m2_n32_kc1024_nb256_t16");
  } else {
    EXPECT_EQ(first_name("portable", 1), "cpu_tile_mxfp4_portable_nibble_m4_n16_kc1024_nb256_t16");
  }
}

}  // namespace
}  // namespace gemmtune::cpu_tile
