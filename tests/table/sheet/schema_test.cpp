#include "gemmtune/table/sheet/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gemmtune/core/text.h"
#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

std::vector<std::string> names_of(const std::vector<SheetColumn>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return names;
}

TEST(Schema, GenerationsDifferInGfxAndProvenance) {
  const auto& family = *find_family("a4w4");
  EXPECT_EQ(join(schema_columns(family, Schema::seed), ","),
            "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio");
  EXPECT_EQ(join(schema_columns(family, Schema::today), ","),
            "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio");
  EXPECT_EQ(join(schema_columns(family, Schema::gemmtune), ","),
            "gfx,cu_num,M,N,K,layout,epilogue,problem,kernelId,splitK,us,kernelName,tflops,bw,errRatio,"
            "us_low,us_high,dispersion,samples,library,device_name,driver,policy,date");
}

TEST(Schema, EveryFamilyIsRecognisedByItsColumns) {
  for (const auto* name : {"a16w16", "a8w8", "a8w8_bpreshuffle", "a8w8_blockscale", "a4w4", "batched_a8w8",
                           "batched_mxscale", "fmoe", "fhmoe", "grouped_fmoe", "gdn"})
    for (const auto schema : {Schema::seed, Schema::today, Schema::gemmtune}) {
      const auto columns = sheet_columns(schema_columns(*find_family(name), schema));
      ASSERT_NE(schema_family_of(columns), nullptr) << name;
      EXPECT_EQ(schema_family_of(columns)->name, name);
      for (const auto& column : columns) EXPECT_TRUE(column.known) << name << ' ' << column.name;
    }
  const auto any = sheet_columns(schema_columns(*find_family("any_gemm"), Schema::gemmtune));
  EXPECT_EQ(schema_family_of(any)->name, "any_gemm") << "told by its column problem";
  EXPECT_EQ(schema_family_of(sheet_columns({"knl_name", "M", "N", "K"})), nullptr);
}

TEST(Schema, EveryFormatHasAFamily) {
  for (const auto format : all_formats()) {
    ASSERT_NE(find_family(to_string(format)), nullptr) << to_string(format);
    const auto columns = sheet_columns(schema_columns(*find_family(to_string(format)), Schema::gemmtune));
    if (!is_aiter(format)) {
      EXPECT_EQ(schema_family_of(columns)->name, "any_gemm") << to_string(format);
    }
  }
}

TEST(Schema, TheCanonicalOrderIsTheSchemas) {
  for (const auto* name : {"a16w16", "a4w4", "fmoe", "grouped_fmoe", "gdn"}) {
    const auto expected = schema_columns(*find_family(name), Schema::gemmtune);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      auto shuffled = expected;
      std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(seed));
      EXPECT_EQ(names_of(in_canonical_order(sheet_columns(shuffled))), expected) << name << ", seed " << seed;
    }
  }
}

TEST(Schema, OtherColumnsGoBeforeTflopsAndThoseSaidTwiceLast) {
  const auto columns = sheet_columns({"errRatio", "note", "err_ratio", "tflops", "block_m", "us", "K", "N", "M", "a"});
  EXPECT_EQ(join(names_of(in_canonical_order(columns)), ","), "M,N,K,us,block_m,a,note,tflops,errRatio,err_ratio");
}

TEST(Schema, NamesReadBack) {
  for (const auto schema : {Schema::seed, Schema::today, Schema::gemmtune})
    EXPECT_EQ(parse_schema(to_string(schema)), schema);
  EXPECT_EQ(parse_schema("tomorrow"), std::nullopt);
  EXPECT_EQ(find_family("b2w2"), nullptr);
}

}  // namespace
}  // namespace gemmtune
