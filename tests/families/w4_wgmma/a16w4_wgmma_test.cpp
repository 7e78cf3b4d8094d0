// Tests against the reference. They need a Hopper GPU and are skipped elsewhere.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "tests/families/w4_wgmma/w4_gpu_test.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_a16w4_wgmma_family();

namespace {

class A16w4Test : public W4GpuTest {
 protected:
  A16w4Test() : W4GpuTest(make_a16w4_wgmma_family(), a16w4_text) {}
};

/// Tiles of one problem multiply another one, whose sizes nothing divides and whose K may be shorter than its parts.
TEST_F(A16w4Test, EveryTileIsRightOnRaggedSizes) {
  struct Two {
    std::string tiles_of;
    std::string sizes;
  };
  for (const auto& [tiles_of, sizes] :
       {Two{"1x8192x8192", "1x576x2048"}, Two{"16x8192x8192", "13x520x4128"}, Two{"16x7168x2048", "3x1000x2080"},
        Two{"24x8192x8192", "17x711x32"}, Two{"64x8192x8192", "61x300x1696"}, Two{"64x57344x8192", "60x301x416"},
        Two{"128x8192x8192", "127x300x1184"}, Two{"256x8192x8192", "200x330x640"},
        Two{"4096x8192x8192", "1100x1300x544"}})
    expect_tiles_right(tiles_of, sizes);
}

/// More tiles than the device holds at once: blocks work on several of them, also in clusters.
TEST_F(A16w4Test, BlocksTakeTurns) {
  for (const std::string sizes : {"3000x2100x160", "16x70000x96", "129x20001x64"}) expect_all_candidates_right(sizes);
}

TEST_F(A16w4Test, SizesThatNothingDivides) {
  for (const std::string sizes : {"1x1x32", "3x65x128", "17x129x256", "128x127x384", "9x333x18816", "300x7x1152"}) {
    EXPECT_EQ(why_first_wrong(a16w4_text(sizes)), "");
    EXPECT_EQ(why_first_wrong(a16w4_nvfp4_text(sizes)), "");
  }
}

TEST_F(A16w4Test, OutputsBiasAndBatches) {
  for (const std::string rest : {"f32", "fp16:bias", "f32:bias", "bf16:batch=3", "bf16:bias:batch=2"})
    for (const std::string sizes : {"15x200x640", "70x201x1152", "300x202x96"}) {
      EXPECT_EQ(why_first_wrong(a16w4_text(sizes, rest)), "");
      EXPECT_EQ(why_first_wrong(a16w4_nvfp4_text(sizes, rest)), "");
    }
}

TEST_F(A16w4Test, HardOperands) {
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows,
                            Recipe::nan_scales, Recipe::nan_inf})
    for (const std::string sizes : {"16x300x8192", "64x300x1536", "300x200x1024"}) {
      EXPECT_EQ(why_first_wrong(a16w4_text(sizes), recipe), "") << to_string(recipe);
      EXPECT_EQ(why_first_wrong(a16w4_nvfp4_text(sizes), recipe), "") << to_string(recipe);
    }
}

/// Sets the E8M0 bytes of all blocks of one row of W.
void set_row(HostOperands& host, std::size_t row, std::size_t blocks, int byte) {
  std::memset(host.w_scale.data() + row * blocks, byte, blocks);
}

/// Scales at both ends of E8M0's range. The largest weights leave the range of bf16, and of float.
TEST_F(A16w4Test, ScalesAtTheEndsOfTheirRange) {
  constexpr std::size_t blocks = 1024 / 32;
  const auto problem = a16w4("17x200x1024", "f32");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  for (const auto& [row, byte] : {std::pair{1, 0}, {2, 1}, {3, 30}, {4, 128}, {5, 129}, {6, 200}, {7, 240}})
    set_row(host, row, blocks, byte);
  host.w_scale[7 * blocks + 3] = std::byte{240 - 133};  // the lowest that this row may have
  EXPECT_EQ(why_first_wrong_on(problem, host, "scales far from 1"), "");
}

TEST_F(A16w4Test, RowsThatAreTooWideAreRefused) {
  constexpr std::size_t blocks = 1024 / 32;
  const auto problem = a16w4("17x200x1024", "f32");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  set_row(host, 7, blocks, 240);
  host.w_scale[7 * blocks + 3] = std::byte{240 - 134};
  const auto why = why_first_wrong_on(problem, host, "scales too far from each other");
  EXPECT_NE(why.find("1 of 200 rows of the weights spread over more than 133 binades"), std::string::npos) << why;
}

TEST_F(A16w4Test, NamesSayAll) { EXPECT_EQ(check::why_names_wrong(*family_, a16w4("16x1024x2048")), ""); }

}  // namespace
}  // namespace gemmtune
