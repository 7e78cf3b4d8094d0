#include "gemmtune/table/lint/kernel_list.h"

#include <gtest/gtest.h>

#include "gemmtune/core/error.h"
#include "tests/support/aiter_files.h"

namespace gemmtune {
namespace {

TEST(KernelList, EachSpellingOfItsColumns) {
  for (const auto* header :
       {"tile_m,tile_n,splitK,bpreshuffle,knl_name,co_name", "tile_M,tile_N,splitK,bpreshuffle,knl_name,co_name",
        "tileM,tileN,splitK,bPreshuffle,knl_name,co_name"}) {
    const auto list = kernel_list_of(parse_csv(std::string(header) + "\n32,128,1,0,k,a.co", "hsa/gfx942/x/y.csv"));
    EXPECT_EQ(list.gfx, "gfx942");
    ASSERT_EQ(list.kernels.size(), 1U) << header;
    const ListedKernel expected{
        .name = "k", .code_object = "a.co", .tile_m = 32, .tile_n = 128, .split_k = true, .packed = false, .line = 2};
    EXPECT_EQ(list.kernels[0], expected) << header;
  }
}

TEST(KernelList, ListsWithOtherColumns) {
  const auto list = kernel_list_of(parse_csv("tile_m,tile_n,intype,knl_name,co_name\n256,64,mxfp4,k,a.co\n"));
  EXPECT_EQ(list.gfx, "");
  EXPECT_FALSE(list.kernels.at(0).split_k);
  EXPECT_TRUE(kernel_list_of(parse_csv("tile_M,tile_N,knl_name")).kernels.empty());
}

TEST(KernelList, ListsWithoutTiles) {
  const auto list = kernel_list_of(parse_csv("knl_name,co_name,atm,subGU_m\n_ZN5aiter4fmoeE,a.co,0,32\n"));
  ASSERT_EQ(list.kernels.size(), 1U);
  EXPECT_EQ(list.kernels[0].name, "_ZN5aiter4fmoeE");
  EXPECT_EQ(list.kernels[0].tile_m, 0);
}

TEST(KernelList, CommentsAreNoLines) {
  const auto text = without_comments(
      "// a licence, with a comma\n# and\n; more\n/* in a\nblock, of\nlines */\n\nknl_name,co_name\n//k0,a\nk1,b.co\n");
  const auto list = kernel_list_of(parse_csv(text));
  ASSERT_EQ(list.kernels.size(), 1U);
  EXPECT_EQ(list.kernels[0].name, "k1");
  EXPECT_EQ(list.kernels[0].line, 10) << "lines keep their numbers";
  EXPECT_EQ(without_comments("/* one */\nknl_name\n"), std::string(9, ' ') + "\nknl_name\n");
  EXPECT_EQ(without_comments("M,N,K\n#1,2,3\n"), "M,N,K\n#1,2,3\n") << "a table has no comments";
}

TEST(KernelList, SaysWhatIsMissing) {
  EXPECT_THROW(kernel_list_of(parse_csv("M,N,K\n1,2,3\n")), Error);
  try {
    kernel_list_of(parse_csv("tile_m,tile_n,knl_name\n32,x,k\n", "l.csv"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "l.csv:2:4: found 'x', expected a whole number");
  }
}

TEST(KernelList, Stems) {
  EXPECT_EQ(kernel_stem("_ZN5aiter42f4gemm_bf16_per1x32Fp4_BpreShuffle_192x256E"), "f4gemm");
  EXPECT_EQ(kernel_stem("_ZN5aiter42I8gemm_bf16_perTokenI8_BpreShuffle_112x256E"), "i8gemm");
  EXPECT_EQ(kernel_stem("a8w8_bpreshuffle_256x16x64x512"), "");
  EXPECT_EQ(kernel_stem("_ZN5aiter42"), "");
}

TEST(KernelList, AiterFiles) {
  const auto folder = aiter_folder("GEMMTUNE_AITER_HSA");
  if (!folder) GTEST_SKIP() << "GEMMTUNE_AITER_HSA names no folder";
  std::size_t kernels = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder))
    if (entry.path().extension() == ".csv") kernels += read_kernel_list(entry.path()).kernels.size();
  EXPECT_GT(kernels, 0U);
}

}  // namespace
}  // namespace gemmtune
