#include <gtest/gtest.h>

#include "tests/table/lint_findings.h"

namespace gemmtune {
namespace {

constexpr std::string_view known = "_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_32x128E";
constexpr std::string_view unknown = "_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_33x128E";

LintInput with_list(const std::string& table) {
  LintInput input;
  input.tables.push_back(lint_table_of(table, "a4w4_tuned.csv"));
  input.kernel_lists.push_back(kernel_list_of(
      parse_csv(fmt::format("tile_M,tile_N,splitK,bpreshuffle,knl_name,co_name\n32,128,0,1,{},a.co\n", known),
                "hsa/gfx950/f4gemm/f4gemm.csv")));
  return input;
}

std::string row(std::string_view gfx, std::string_view kernel) {
  return fmt::format("{},,1,512,4096,21,0,5,{},0,0,0.0\n", gfx, kernel);
}

TEST(LintKernels, KernelsThatNoListHas) {
  EXPECT_EQ(found("unknown-kernel", with_list(a4w4_header + row("gfx950", known) + row("gfx950", unknown))),
            Texts{fmt::format("3:27 no list has the kernel {}", unknown)});
}

TEST(LintKernels, KernelsOfOtherKindsAndDevicesAreNotLookedUp) {
  EXPECT_EQ(found("unknown-kernel",
                  with_list(a4w4_header + row("gfx942", unknown) + row("gfx950", "a4w4_blockscale_256x64x128x128") +
                            row("gfx950", "_ZN5aiter41I8gemm_bf16_perTokenI8_BpreShuffle_32x128E"))),
            Texts{});
}

TEST(LintKernels, OneKernelUnderTwoIds) {
  const auto text = a4w4_header +
                    "gfx950,256,1,512,4096,22,0,5,k,0,0,0\n"
                    "gfx950,256,2,512,4096,22,0,5,k,0,0,0\n"
                    "gfx950,256,3,512,4096,50,0,5,k,0,0,0\n"
                    "gfx950,256,4,512,4096,50,0,5,k,0,0,0\n"
                    "gfx942,304,4,512,4096,7,0,5,k,0,0,0\n"
                    "gfx950,256,5,512,4096,50,0,5,other,0,0,0\n";
  EXPECT_EQ(found("two-ids", text), Texts{"4:23 k has id 50 here and 22 in line 2"});
}

TEST(LintKernels, RowsWithOnlyAnId) {
  EXPECT_EQ(found("only-an-id", a4w4_header + "gfx950,256,1,512,4096,22,0,5,Null,0,0,0\n" + good_row),
            Texts{"2:23 no kernelName: 22 is another kernel in another build of the library"});
}

}  // namespace
}  // namespace gemmtune
