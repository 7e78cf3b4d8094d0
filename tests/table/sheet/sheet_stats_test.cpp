#include "gemmtune/table/sheet/sheet_stats.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

SheetStats count(std::string_view text) { return stats_of(sheet_of(parse_csv(text))); }

TEST(SheetStats, CountsAGemmTable) {
  const auto stats = count(
      "cu_num,M,N,K,libtype,us,kernelName,errRatio\n"
      "256,1,8,8,ck,1,a,0.0\n256,1.0,8,8,ck,2,b,0.06\n80,64,8,8,asm,0,c,0.05\n132,64,16,8,asm,1,c,nan\n1,1\n");
  EXPECT_EQ(stats.kind, TableKind::gemm);
  EXPECT_EQ(stats.rows, 4U);
  EXPECT_EQ(stats.keys, 3U);
  EXPECT_EQ(stats.unusable, 1U);
  EXPECT_EQ(stats.timed, 3U);
  EXPECT_EQ(stats.wrong, 2U);  // 0.06, and nan
  EXPECT_EQ(stats.layers, 2U);
  EXPECT_EQ(stats.m, (Range{1, 64}));
  EXPECT_EQ(stats.kernels, 3U);
  EXPECT_EQ(stats.devices, (std::map<std::string, std::size_t>{{"gfx950/256", 2}, {"gfx942/80", 1}, {"?/132", 1}}));
  EXPECT_EQ(stats.libraries, (std::map<std::string, std::size_t>{{"ck", 2}, {"asm", 2}}));
}

TEST(SheetStats, OfFusedMoeTokensAreM) {
  const auto stats = count("token,model_dim,kernelName1,kernelName2,err1,us\n4,8,a,b,11.0%,1\n16,8,a,c,10%,2\n");
  EXPECT_EQ(stats.m, (Range{4, 16}));
  EXPECT_EQ(stats.layers, 1U);
  EXPECT_EQ(stats.kernels, 3U);
  EXPECT_EQ(stats.wrong, 1U);
}

TEST(SheetStats, AHeaderAloneIsATable) {
  const auto stats = count("knl_name,co_name");
  EXPECT_EQ(stats.kind, TableKind::kernel_list);
  EXPECT_EQ(stats.rows, 0U);
  EXPECT_EQ(stats.m, std::nullopt);
}

}  // namespace
}  // namespace gemmtune
