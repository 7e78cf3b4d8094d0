#include "gemmtune/table/sheet/sheet_diff.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "tests/table/random_tables.h"

namespace gemmtune {
namespace {

Sheet read(std::string_view text, std::string name = "t.csv") { return sheet_of(parse_csv(text, std::move(name))); }

TEST(SheetDiff, SortsWhatChanged) {
  const auto before = read(
      "cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName\n"
      "256,1,8,8,ck,1,0,5,a\n256,2,8,8,ck,1,0,5,a\n256,3,8,8,ck,1,0,5,a\n256,4,8,8,ck,1,0,5,a\n",
      "a.csv");
  const auto after = read(
      "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName\n"
      "gfx950,256,5,8,8,ck,1,0,5,a\ngfx950,256,4,8,8,ck,1,1,2.5,b\ngfx950,256,3,8,8,ck,9,0,4,a\n"
      "gfx950,256,2.0,8,8,ck,9,0.0,5.0,a\n",
      "b.csv");
  const auto difference = diff(before, after);
  ASSERT_EQ(difference.only_before.size(), 1U);
  EXPECT_EQ(difference.only_before[0].key, "gfx=gfx950,cu_num=256,M=1,N=8,K=8");
  EXPECT_EQ(difference.only_before[0].where, "a.csv:2");
  ASSERT_EQ(difference.only_after.size(), 1U);
  EXPECT_EQ(difference.only_after[0].where, "b.csv:2");
  ASSERT_EQ(difference.choices.size(), 1U);
  EXPECT_EQ(difference.choices[0].before, "splitK=0,kernelName=a");
  EXPECT_EQ(difference.choices[0].after, "splitK=1,kernelName=b");
  EXPECT_EQ(difference.choices[0].ratio(), 0.5);
  ASSERT_EQ(difference.times.size(), 1U) << "another number of the same kernel is no other choice";
  EXPECT_EQ(difference.times[0].after_where, "b.csv:4");
  EXPECT_EQ(difference.same, 1U);
}

TEST(SheetDiff, NumbersOfKernelsCountWhereTheyHaveNoNames) {
  const auto difference =
      diff(read("M,N,K,kernelId,us,kernelName\n1,8,8,1,5,\n"), read("M,N,K,kernelId,us,kernelName\n1,8,8,2,5,\n"));
  ASSERT_EQ(difference.choices.size(), 1U);
  EXPECT_EQ(difference.choices[0].after, "kernelId=2");
}

TEST(SheetDiff, ARowThatLostItsTimeHasNoRatio) {
  const auto difference = diff(read("M,N,K,us\n1,8,8,5\n"), read("M,N,K,us\n1,8,8,inf\n"));
  ASSERT_EQ(difference.times.size(), 1U);
  EXPECT_EQ(difference.times[0].ratio(), std::nullopt);
}

TEST(SheetDiff, ATableDoesNotDifferFromItselfAndSidesAreSwapped) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomTables random(seed);
    const auto a = read(random.table());
    const auto b = read(random.table());
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_TRUE(diff(a, a).is_empty());
    const auto there = diff(a, b);
    const auto back = diff(b, a);
    ASSERT_EQ(there.only_before.size(), back.only_after.size());
    ASSERT_EQ(there.only_after.size(), back.only_before.size());
    ASSERT_EQ(there.choices.size(), back.choices.size());
    ASSERT_EQ(there.times.size(), back.times.size());
    ASSERT_EQ(there.same, back.same);
  }
}

TEST(SheetDiff, RefusesTablesOfTwoKinds) {
  EXPECT_THROW(diff(read("M,N,K,us\n"), read("token,model_dim,us\n")), Error);
}

}  // namespace
}  // namespace gemmtune
