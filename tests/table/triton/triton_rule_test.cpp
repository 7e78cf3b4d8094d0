#include "gemmtune/table/triton/triton_rule.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gemmtune {
namespace {

TritonFile file_of(const std::vector<std::string>& keys) {
  TritonFile file;
  for (const auto& key : keys) file.entries.push_back({.key = key, .params = {{"BLOCK_SIZE_M", "16"}}});
  return file;
}

std::string serving(const TritonFile& file, std::int64_t m, std::string_view tag = "A8W8") {
  const auto match = config_for(file, m, bounds_of(TritonName{.tag = std::string(tag)}));
  return match ? file.entries[match->entry].key : "";
}

TEST(TritonRule, BoundsAscendThenDescendThenAny) {
  const auto file = file_of({"any", "M_GEQ_4096", "M_GEQ_8192", "M_LEQ_64", "M_LEQ_8"});
  EXPECT_EQ(serving(file, 1), "M_LEQ_8");
  EXPECT_EQ(serving(file, 8), "M_LEQ_8");
  EXPECT_EQ(serving(file, 9), "M_LEQ_64");
  EXPECT_EQ(serving(file, 65), "any");
  EXPECT_EQ(serving(file, 4095), "any");
  EXPECT_EQ(serving(file, 4096), "M_GEQ_4096");
  EXPECT_EQ(serving(file, 8192), "M_GEQ_8192");
  EXPECT_FALSE(config_for(file, 65, bounds_of(TritonName{.tag = "A8W8"}))->tuned);
  EXPECT_TRUE(config_for(file, 64, bounds_of(TritonName{.tag = "A8W8"}))->tuned);
  EXPECT_EQ(serving(file_of({"M_LEQ_8"}), 9), "");
}

TEST(TritonRule, OnlyTheBoundsOfItsKernelAreAskedFor) {
  const auto file = file_of({"M_LEQ_1", "M_LEQ_31", "M_LEQ_320", "M_LEQ_512", "any"});
  EXPECT_EQ(serving(file, 1), "M_LEQ_1");
  EXPECT_EQ(serving(file, 20), "M_LEQ_512");
  EXPECT_EQ(serving(file, 1, "AFP4WFP4_PRESHUFFLED"), "M_LEQ_31");
  EXPECT_EQ(serving(file, 300), "M_LEQ_512");
}

TEST(TritonRule, SizesOfTheOldFiles) {
  const auto file =
      file_of({"small", "small_M16", "medium_M32", "medium_M64", "large", "xlarge", "xlarge_M512", "any"});
  EXPECT_EQ(serving(file, 16), "small_M16");
  EXPECT_EQ(serving(file, 17), "small");
  EXPECT_EQ(serving(file, 32), "medium_M32");
  EXPECT_EQ(serving(file, 33), "medium_M64");
  EXPECT_EQ(serving(file, 65), "any") << "medium_M128 is not there";
  EXPECT_EQ(serving(file, 256), "large");
  EXPECT_EQ(serving(file, 257), "xlarge_M512");
  EXPECT_EQ(serving(file, 513), "xlarge");
  EXPECT_EQ(serving(file_of({"small", "large"}), 64), "");
}

TEST(TritonRule, RangesOfOneKernel) {
  const auto file = file_of({"M_LT_32", "M_EQ_32", "M_33_64", "M_65_128", "M_129_256", "default"});
  EXPECT_EQ(keys_of(file), TritonKeys::ranges);
  EXPECT_EQ(serving(file, 31), "M_LT_32");
  EXPECT_EQ(serving(file, 32), "M_EQ_32");
  EXPECT_EQ(serving(file, 64), "M_33_64");
  EXPECT_EQ(serving(file, 257), "default");
}

TEST(TritonRule, ServedRanges) {
  const auto file = file_of({"M_LEQ_8", "any", "M_LEQ_320", "M_GEQ_4096"});
  const auto ranges = served_ranges(file, bounds_of(TritonName{.tag = "A8W8"}));
  EXPECT_EQ(ranges[0], (ServedRange{1, 8}));
  EXPECT_EQ(ranges[1], (ServedRange{9, 4095}));
  EXPECT_FALSE(ranges[2]);
  EXPECT_EQ(ranges[3], (ServedRange{4096, 0}));
}

/// Looks up every M up to 10000: each entry's range must end at the last M that the entry serves.
TEST(TritonRule, ServedRangesAgreeWithEveryM) {
  for (const auto& keys : {std::vector<std::string>{"M_LEQ_1", "M_LEQ_16", "M_GEQ_2048", "any"},
                           {"small", "small_M16", "medium_M32", "large", "xlarge_M1024", "any"},
                           {"M_LT_32", "M_33_64", "default"}}) {
    const auto file = file_of(keys);
    const auto ranges = served_ranges(file, bounds_of(TritonName{.tag = "A8W8"}));
    std::vector<std::int64_t> last(keys.size());
    for (std::int64_t m = 1; m <= 10'000; ++m)
      if (const auto match = config_for(file, m, bounds_of(TritonName{.tag = "A8W8"}))) last[match->entry] = m;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(ranges[i].has_value(), last[i] > 0) << keys[i];
      if (ranges[i]) {
        EXPECT_EQ(ranges[i]->to == 0 ? 10'000 : ranges[i]->to, last[i]) << keys[i];
      }
    }
  }
}

TEST(TritonRule, BucketKeysAreThoseThatAreAskedForFirst) {
  const auto bounds = bounds_of(TritonName{.tag = "A8W8"});
  EXPECT_EQ(bucket_key(TritonKeys::bounds, 50, bounds), "M_LEQ_64");
  EXPECT_EQ(bucket_key(TritonKeys::bounds, 8193, bounds), "any");
  EXPECT_EQ(bucket_key(TritonKeys::sizes, 7, bounds), "small");
  EXPECT_EQ(bucket_key(TritonKeys::sizes, 600, bounds), "xlarge_M1024");
  EXPECT_EQ(bucket_key(TritonKeys::categories, 7, bounds), "small");
  EXPECT_EQ(bucket_key(TritonKeys::categories, 257, bounds), "xlarge");
  EXPECT_EQ(bucket_key(TritonKeys::categories, 70000, bounds), "xlarge");
  EXPECT_EQ(bucket_key(TritonKeys::ranges, 600, bounds), "default");
  for (const auto keys : {TritonKeys::bounds, TritonKeys::sizes, TritonKeys::categories, TritonKeys::ranges})
    for (std::int64_t m = 1; m < 9000; m += 7) {
      const auto file = file_of({bucket_key(keys, m, bounds)});
      EXPECT_EQ(serving(file, m), file.entries[0].key) << m << ' ' << to_string(keys);
    }
}

TEST(TritonRule, SaysWhyAKeyIsDead) {
  auto file = file_of({"M_LEQ_64", "M_LEQ_320", "medium_M32", "M_GEQ_32", "hello", "any", "M_LEQ_8192"});
  file.entries.push_back({.key = "_note", .other = "\"x\""});
  const auto bounds = bounds_of(TritonName{.tag = "A8W8"});
  const auto why = [&](std::size_t i) { return why_unreachable(file, i, bounds, keys_asked(file, bounds)); };
  EXPECT_EQ(why(1).substr(0, 48), "320 is not one of the bounds that lookups use (1");
  EXPECT_EQ(why(2), "lookups in a file with keys of this kind (bounds) never try it");
  EXPECT_EQ(why(4), "it is the name of no bucket");
  EXPECT_EQ(why(7), "its value is no configuration");
  const auto shadowed = file_of({"M_LEQ_8192", "M_GEQ_4096", "M_GEQ_1", "any"});
  EXPECT_EQ(why_unreachable(shadowed, 3, bounds, keys_asked(shadowed, bounds)), "other buckets take every M of it");
}

TEST(TritonRule, SomeKernelsPassBoundsOfTheirOwn) {
  const auto key = [](const std::string& text, const std::string& file_name, std::int64_t m) {
    const auto file = parse_triton_json(text);
    const auto match = config_for(file, m, bounds_of(parse_triton_name(file_name).value(), file));
    return match ? file.entries[match->entry].key : "none";
  };
  const std::string batched = R"({"M_LEQ_256": {}, "M_LEQ_320": {}, "M_LEQ_512": {}, "any": {}})";
  EXPECT_EQ(key(batched, "gfx950-BATCHED_GEMM-AFP4WFP4.json", 257), "M_LEQ_320");
  EXPECT_EQ(key(batched, "gfx950-BATCHED_GEMM-AFP4WFP4.json", 321), "M_LEQ_512");
  EXPECT_EQ(key(batched, "gfx950-BATCHED_GEMM-A8W8.json", 257), "M_LEQ_512");
  const std::string gated = R"({"M_LEQ_8": {}, "M_LEQ_16": {}, "M_LEQ_64": {}, "M_LEQ_128": {}, "any": {}})";
  EXPECT_EQ(key(gated, "gfx950-GEMM-A16W16-gated.json", 1), "M_LEQ_64");
  EXPECT_EQ(key(gated, "gfx950-GEMM-A16W16.json", 1), "M_LEQ_8");
  const std::string feed_forward = R"({"M_LEQ_4": {}, "M_LEQ_16": {}, "M_LEQ_64": {}, "any": {}})";
  EXPECT_EQ(key(feed_forward, "gfx950-FF-A16W16-fused.json", 9), "M_LEQ_64");
}

TEST(TritonRule, GluonOnGfx950AsksForTheFilesBoundsAndPassesOverTilesWithoutCode) {
  const auto file = parse_triton_json(
      R"({"M_LEQ_300": {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 128}, "M_LEQ_16": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64},
          "M_LEQ_96": {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128}, "any": {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 256}})");
  const auto name = parse_triton_path("gemm/gluon/gfx950-GEMM-A8W8_BLOCKSCALE-N=512-K=7168.json").value();
  const auto key = [&](std::int64_t m) { return file.entries[config_for(file, m, bounds_of(name, file))->entry].key; };
  EXPECT_EQ(key(8), "M_LEQ_96");
  EXPECT_EQ(key(97), "M_LEQ_300");
  EXPECT_EQ(key(301), "any");
  const auto of_triton = parse_triton_name("gfx950-GEMM-A8W8_BLOCKSCALE.json").value();
  EXPECT_EQ(bounds_of(of_triton, file).front(), 1);
}

}  // namespace
}  // namespace gemmtune
