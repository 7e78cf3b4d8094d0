#include "gemmtune/table/sheet/sheet_filter.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr std::string_view table =
    "cu_num,M,N,K,libtype,us,kernelName\n"
    "256,1,8,8,ck,1,ck_small\n"
    "80,2,8,8,asm,0,asm_small\n"
    "256,300,16,8,asm,3,asm_large\n"
    "256,x,16,8,asm,3,kept\n";

/// The kernels of the rows that stay.
std::string kept(const RowFilter& filter) {
  std::string names;
  for (const auto& row : filtered(sheet_of(parse_csv(table)), filter).rows) names += row.cells.back() + ' ';
  return names;
}

TEST(SheetFilter, KeepsTheRowsThatAreAllOfIt) {
  EXPECT_EQ(kept({}), "ck_small asm_small asm_large ");
  EXPECT_EQ(kept({.gfx = {"gfx942", "gfx90a"}}), "asm_small ");
  EXPECT_EQ(kept({.gfx = {"gfx942:sramecc+:xnack-"}}), "asm_small ") << "features do not count";
  EXPECT_EQ(kept({.libtype = {"asm"}}), "asm_small asm_large ");
  EXPECT_EQ(kept({.kernel = {"small"}}), "ck_small asm_small ");
  EXPECT_EQ(kept({.kernel = {"asm*"}, .timed_only = true}), "asm_large ");
  EXPECT_EQ(kept({.sizes = {{"M", {{1, 2}, {300, 300}}}, {"cu_num", {{256, 256}}}}}), "ck_small asm_large ");
  EXPECT_EQ(kept({.libtype = {"ck"}, .sizes = {{"M", {{2, 1000}}}}}), "");
}

TEST(SheetFilter, LinesThatCannotBeUsedStay) {
  EXPECT_EQ(sheet_text(filtered(sheet_of(parse_csv(table)), {.libtype = {"none"}})),
            "cu_num,M,N,K,libtype,us,kernelName\n256,x,16,8,asm,3,kept\n");
}

TEST(SheetFilter, AColumnThatIsNotThereIsAnError) { EXPECT_THROW(kept({.sizes = {{"token", {{1, 1}}}}}), Error); }

TEST(SheetFilter, Intervals) {
  EXPECT_EQ(parse_interval("128"), (SizeInterval{128, 128}));
  EXPECT_EQ(parse_interval("1:128"), (SizeInterval{1, 128}));
  EXPECT_TRUE(parse_interval(":128")->has(-5));
  EXPECT_TRUE(parse_interval("128:")->has(1 << 30));
  EXPECT_FALSE(parse_interval("128:")->has(127));
  for (const auto* text : {"", ":", "x", "1:x", "2:1", "1-2", "1:2:3"})
    EXPECT_EQ(parse_interval(text), std::nullopt) << text;
}

TEST(SheetFilter, Globs) {
  for (const auto* pattern : {"abc", "b", "a*c", "*", "a?c", "abc*", "*bc", "**c", "a*b*c"})
    EXPECT_TRUE(matches_glob(pattern, "abc")) << pattern;
  for (const auto* pattern : {"d", "a*d", "?", "b*", "*b", "a??c", "abc?"})
    EXPECT_FALSE(matches_glob(pattern, "abc")) << pattern;
  EXPECT_TRUE(matches_glob("*ab", "aaab")) << "a star may have to take more than at first";
  EXPECT_TRUE(matches_glob("*", ""));
}

}  // namespace
}  // namespace gemmtune
