// Weights in scaled blocks, on every instruction set, against the product of families/check.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gemmtune/families/cpu_tile/block_isas.h"
#include "gemmtune/gemm/q8.h"
#include "int8_harness.h"
#include "tests/families/check/family_check.h"
#include "tests/families/check/reference_product.h"

namespace gemmtune::cpu_tile {
namespace {

constexpr std::uint64_t seed = 20261129;

const std::vector<std::string>& labels() {
  static const std::vector<std::string> all{"portable", "avx2",    "avxvnni", "avx512vnni", "avx512",  "avx512bf16",
                                            "amxint8",  "amxbf16", "neon",    "neondot",    "neoni8mm"};
  return all;
}

/// Types and output, to follow the sizes.
const std::vector<std::string>& types() {
  static const std::vector<std::string> all{"bf16/q8:e2m1/1x32:bf16:packed", "f32/q8:e2m1/1x32:f32",
                                            "fp16/q8:e2m1/1x16:f32:packed",  "bf16/q8:int4/1x32f16:f32:packed",
                                            "f32/q8:int8/1x32f16:bf16:bias", "bf16:e2m1/1x32:f32:bias:packed",
                                            "f32:e2m1/1x32:f32:packed",      "fp16:e2m1/1x32:f32:packed",
                                            "bf16:e2m1/1x16:bf16",           "bf16:int4/1x32f16:f32:packed"};
  return all;
}

Problem problem_of(const std::string& sizes, const std::string& rest) { return parse_problem(sizes + ":" + rest); }

void expect_right(const Problem& problem, const Candidate& candidate, const HostOperands& host,
                  const DeviceInfo& info) {
  const auto expected = check::expected_product(problem, host, {});
  const auto c = run_candidate(problem, candidate, host, info);
  EXPECT_EQ(check::first_difference(problem, expected, c), "") << reproducer(problem, candidate, seed);
}

class BlockPath : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU has no " << GetParam();
    info_ = device_with(GetParam());
    info_.cu_num = 3;
  }

  std::vector<Candidate> candidates(const Problem& problem) const {
    return make_cpu_tile_family()->candidates(problem, info_);
  }

  DeviceInfo info_{};
};

TEST_P(BlockPath, MultipliesAwkwardShapes) {
  for (const char* sizes : {"1x1x2", "1x33x130", "2x5x96", "3x16x64", "5x47x100", "7x70x34", "13x40x300", "25x18x1100"})
    for (const std::string& rest : types()) {
      const Problem problem = problem_of(sizes, rest);
      const HostOperands host = draw_operands(problem, Recipe::gaussian, seed);
      const auto all = candidates(problem);
      ASSERT_FALSE(all.empty()) << to_string(problem);
      EXPECT_LE(all.size(), 60U) << to_string(problem);
      for (const Candidate& candidate : all) expect_right(problem, candidate, host, info_);
    }
}

/// What precedes the tile's height in a candidate's name.
std::string isa_of(const std::string& name) { return name.substr(0, name.rfind("_m", name.find("_kc"))); }

/// The names of the tiles of the best instruction set, up to their heights.
std::set<std::string> tiles_of(const std::vector<Candidate>& candidates) {
  std::set<std::string> tiles;
  for (const Candidate& candidate : candidates) {
    if (isa_of(candidate.name) != isa_of(candidates.front().name)) continue;
    tiles.insert(candidate.name.substr(0, candidate.name.find("_kc")));
  }
  return tiles;
}

/// More passes along K, more tasks and more threads than a small problem would get. With decoded columns, tasks have
/// more column panels than their last tile, or fewer.
TEST_P(BlockPath, CutsTheWorkInManyWays) {
  for (const std::string& rest : types())
    for (const char* sizes : {"37x150x800", "300x40x290"}) {
      const Problem problem = problem_of(sizes, rest);
      const HostOperands host = draw_operands(problem, Recipe::gaussian, seed);
      const auto tiles = tiles_of(candidates(problem));
      ASSERT_FALSE(tiles.empty());
      const std::string isa = isa_of(*tiles.begin());
      for (const std::string& tile : {*tiles.begin(), isa + "_m6"}) {
        if (!tiles.contains(tile)) continue;
        for (const char* cut : {"_kc128_nb16_t3", "_kc256_nb32_t2", "_kc512_nb48_t3"}) {
          expect_right(problem, {.family = "cpu_tile", .name = tile + cut}, host, info_);
        }
      }
    }
}

/// Columns decoded to memory differ from those decoded in registers in nothing but time.
TEST_P(BlockPath, DecodedColumnsGiveTheSameSums) {
  for (const std::string& rest : types())
    for (const Recipe recipe : {Recipe::gaussian, Recipe::wide_exponents}) {
      const Problem problem = problem_of("29x70x416", rest);
      const auto tiles = tiles_of(candidates(problem));
      const HostOperands host = draw_operands(problem, recipe, seed);
      for (const std::string& tile : tiles) {
        const std::string isa = isa_of(tile);
        if (!tile.ends_with("_m6") || !tiles.contains(isa + "_m12")) continue;
        const auto product = [&](const std::string& height) {
          const Candidate candidate{.family = "cpu_tile", .name = isa + height + "_kc256_nb256_t1"};
          return run_candidate(problem, candidate, host, info_);
        };
        EXPECT_EQ(product("_m6"), product("_m12")) << to_string(problem);
      }
    }
}

TEST_P(BlockPath, MultipliesEachMatrixOfABatch) {
  for (const std::string& rest : types()) {
    const Problem problem = [&] {
      Problem one = problem_of("4x150x1100", rest);
      one.batch = 3;
      return one;
    }();
    const HostOperands host = draw_operands(problem, Recipe::gaussian, seed);
    const std::string name = candidates(problem).front().name;
    const std::string start = name.substr(0, name.rfind("_t"));
    for (const char* threads : {"_t2", "_t3"}) {
      expect_right(problem, {.family = "cpu_tile", .name = start + threads}, host, info_);
    }
  }
}

TEST_P(BlockPath, MultipliesHardOperands) {
  for (const std::string& rest : types())
    for (const Recipe recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::nan_scales,
                                Recipe::wide_rows, Recipe::nan_inf}) {
      const Problem problem = problem_of("5x33x416", rest);
      const HostOperands host = draw_operands(problem, recipe, seed);
      for (const Candidate& candidate : candidates(problem)) expect_right(problem, candidate, host, info_);
    }
}

/// Products of scales that are normal though exponents of both sides are far from 0, and weights at both ends.
TEST_P(BlockPath, MultipliesScalesFarFromOne) {
  const Problem problem = problem_of("3x18x160", "f32/q8:e2m1/1x32:f32:packed");
  for (const auto& [power, byte] : {std::pair{80, 30}, {-80, 220}, {100, 0}, {-100, 250}, {0, 64}, {0, 200}}) {
    HostOperands host = draw_operands(problem, Recipe::gaussian, seed);
    std::fill(host.w_scale.begin(), host.w_scale.end(), static_cast<std::byte>(byte));
    for (std::size_t i = 0; i < host.a.size(); i += 4) {
      float value{};
      std::memcpy(&value, host.a.data() + i, 4);
      value = std::ldexp(value, power);
      std::memcpy(host.a.data() + i, &value, 4);
    }
    for (const Candidate& candidate : candidates(problem)) expect_right(problem, candidate, host, info_);
  }
}

TEST_P(BlockPath, QuantisesByTheRule) {
  const Problem problem = problem_of("1x16x64", "f32/q8:e2m1/1x32:f32");
  const BlockIsa* isa = find_block_isa(problem, GetParam());
  if (isa == nullptr) GTEST_SKIP() << "no int8 kernels of its own";
  const std::int64_t block_bytes = block_length + 8;
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 400; ++turn) {
    std::vector<float> row(static_cast<std::size_t>(1 + turn % 64));
    const int power = turn % 7 == 0 ? -140 : turn % 7 == 1 ? 120 : 0;
    for (float& value : row) value = std::ldexp(static_cast<float>(static_cast<int>(random() % 509) - 254), power);
    if (turn % 11 == 0) std::fill(row.begin(), row.end(), -0.0F);
    if (turn % 13 == 0) row[random() % row.size()] = std::ldexp(1.0F, 127) * 2;
    const auto blocks = static_cast<std::int64_t>(row.size() + 31) / 32;
    std::vector<std::byte> panel(static_cast<std::size_t>(blocks * block_bytes));
    isa->kernels().pack_row({.row = reinterpret_cast<const std::byte*>(row.data()),
                             .source = Source::f32,
                             .k = static_cast<std::int64_t>(row.size()),
                             .last_block = blocks,
                             .panel = panel.data(),
                             .block_bytes = block_bytes,
                             .height = 1,
                             .groups = 1,
                             .offset = 12});
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::size_t first = static_cast<std::size_t>(b) * 32;
      const Q8Block expected = q8_block(std::span(row).subspan(first, std::min<std::size_t>(32, row.size() - first)));
      const std::byte* block = panel.data() + b * block_bytes;
      float scale{};
      std::memcpy(&scale, block + block_length, 4);
      ASSERT_EQ(std::isnan(scale), std::isnan(expected.scale)) << "turn " << turn;
      if (std::isnan(scale)) continue;
      EXPECT_EQ(scale, expected.scale) << "turn " << turn;
      EXPECT_EQ(std::memcmp(block, expected.codes.data(), block_length), 0) << "turn " << turn << " block " << b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EachIsa, BlockPath, testing::ValuesIn(labels()), [](const auto& isa) { return isa.param; });

TEST(BlockPathPrepare, RefusesNamesThatDoNotFit) {
  const auto family = make_cpu_tile_family();
  const DeviceInfo info = device_with("portable");
  const Problem problem = problem_of("4x64x256", "bf16/q8:e2m1/1x32:bf16:packed");
  for (const char* rest :
       {"avx2_m4_kc256_nb256_t1", "portable_m5_kc256_nb256_t1", "portable_m12_kc256_nb256_t1",
        "portable_m4_kc200_nb256_t1", "portable_m4_kc256_nb20_t1", "portable_m4_kc256_nb256_t0", "portable_m4_kc256"}) {
    const std::string name = fmt::format("cpu_tile_q8xmxfp4_{}", rest);
    EXPECT_THROW(family->prepare(problem, {.family = "cpu_tile", .name = name}, info), std::exception) << name;
  }
  EXPECT_NO_THROW(
      family->prepare(problem, {.family = "cpu_tile", .name = "cpu_tile_q8xmxfp4_portable_m4_kc256_nb256_t1"}, info));
}

TEST(BlockPathSupport, NamesWhatItDoesNotTake) {
  const auto family = make_cpu_tile_family();
  const DeviceInfo info = device_with("portable");
  EXPECT_TRUE(family->supports(parse_problem("4x4x64:f32/q8:int8/1x32f16:bf16"), info));
  for (const char* refused :
       {"4x4x64:bf16:int8/1x32f16:bf16", "4x4x64:int8/row:e2m1/1x32:bf16", "4x4x64:bf16/q8:bf16:bf16",
        "4x4x64:fp16/q8:fp16:bf16", "4x4x64:bf16/q8:e2m1/1x32:bf16:relu"}) {
    EXPECT_FALSE(family->supports(parse_problem(refused), info)) << refused;
  }
  const auto support = family->supports(parse_problem("4x4x64:bf16:int8/1x32f16:bf16"), info);
  EXPECT_NE(support.why_not.find("float tiles do not read 1x32f16 scales"), std::string::npos) << support.why_not;
}

TEST(BlockPathNames, AreUniqueAndParseBack) {
  const auto family = make_cpu_tile_family();
  EXPECT_EQ(check::why_names_wrong(*family, problem_of("33x70x1200", "bf16/q8:e2m1/1x32:bf16:packed")), "");
  EXPECT_EQ(check::why_names_wrong(*family, problem_of("3x70x1200", "bf16:e2m1/1x32:bf16:packed")), "");
}

}  // namespace
}  // namespace gemmtune::cpu_tile
