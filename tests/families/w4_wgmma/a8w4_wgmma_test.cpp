// Tests against the reference. They need a Hopper GPU and are skipped elsewhere.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "tests/families/check/back_to_back.h"
#include "tests/families/w4_wgmma/w4_gpu_test.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_a8w4_wgmma_family();

namespace {

class A8w4Test : public W4GpuTest {
 protected:
  A8w4Test() : W4GpuTest(make_a8w4_wgmma_family(), a8w4_text) {}
};

/// Tiles of one problem multiply another one, whose sizes nothing divides and whose K may be shorter than its parts.
TEST_F(A8w4Test, EveryTileIsRightOnRaggedSizes) {
  struct Two {
    std::string tiles_of;
    std::string sizes;
  };
  for (const auto& [tiles_of, sizes] :
       {Two{"1x8192x8192", "1x576x2048"}, Two{"16x8192x8192", "13x520x4128"}, Two{"16x7168x2048", "3x1000x2080"},
        Two{"24x8192x8192", "17x711x32"}, Two{"64x8192x8192", "61x300x1696"}, Two{"64x57344x8192", "60x301x416"},
        Two{"128x8192x8192", "127x304x1184"}, Two{"256x8192x8192", "200x330x640"},
        Two{"4096x8192x8192", "1100x1304x544"}})
    expect_tiles_right(tiles_of, sizes);
}

/// More tiles than the device holds at once: blocks work on several of them, also in clusters.
TEST_F(A8w4Test, BlocksTakeTurns) {
  for (const std::string sizes : {"3000x2104x160", "16x70000x96", "129x20001x64"}) expect_all_candidates_right(sizes);
}

TEST_F(A8w4Test, SizesThatNothingDivides) {
  for (const std::string sizes : {"1x1x32", "3x65x128", "17x129x256", "128x127x384", "9x333x18816", "300x7x1152"})
    EXPECT_EQ(why_first_wrong(a8w4_text(sizes)), "");
}

TEST_F(A8w4Test, OutputsScalesBiasAndBatches) {
  for (const std::string rest : {"f32", "fp16:bias", "f32:bias", "bf16:batch=3", "bf16:bias:batch=2"})
    for (const std::string sizes : {"15x200x640", "70x201x1152", "300x200x96"}) {
      EXPECT_EQ(why_first_wrong(a8w4_text(sizes, rest)), "");
      EXPECT_EQ(why_first_wrong(sizes + ":e4m3/tensor:e2m1/1x32:" + rest + ":packed"), "");
    }
}

/// Blocks of `wide_exponents` spread too far, so that packing refuses them. They are tried below.
TEST_F(A8w4Test, HardOperands) {
  for (const auto recipe :
       {Recipe::one_sign, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_scales, Recipe::nan_inf})
    for (const std::string sizes : {"16x300x8192", "64x304x1536", "300x200x1024"})
      EXPECT_EQ(why_first_wrong(a8w4_text(sizes), recipe), "") << to_string(recipe);
}

/// The E8M0 bytes of one row of 1024 weights.
std::byte* scales_of_row(HostOperands& host, std::size_t row) { return host.w_scale.data() + row * (1024 / 32); }

/// Blocks as far from each other as E4M3 holds, and bricks as far from each other as factors reach, at both ends of
/// E8M0's range.
TEST_F(A8w4Test, ScalesAtTheEndsOfTheirRange) {
  const auto problem = a8w4("17x200x1024", "f32");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  for (const auto& [row, byte] : {std::pair{1, 0}, {2, 1}, {3, 7}, {4, 30}, {5, 128}, {6, 200}, {7, 230}}) {
    std::memset(scales_of_row(host, row), byte, 32);
    for (int block = 1; block < 32; block += 2) scales_of_row(host, row)[block] = std::byte(std::max(byte - 11, 0));
  }
  for (int block = 4; block < 8; ++block) scales_of_row(host, 7)[block] = std::byte{230 - 126};
  EXPECT_EQ(why_first_wrong_on(problem, host, "scales far from 1"), "");
}

TEST_F(A8w4Test, RowsThatAreTooWideAreRefused) {
  const auto problem = a8w4("17x200x1024", "f32");
  const auto why_with = [&](int block, int byte) {
    auto host = draw_operands(problem, Recipe::gaussian, 8);
    std::memset(scales_of_row(host, 7), 200, 32);
    for (int i = block; i < (block < 4 ? block + 1 : block + 4); ++i) scales_of_row(host, 7)[i] = std::byte(byte);
    return why_first_wrong_on(problem, host, "scales too far from each other");
  };
  for (const auto& [block, byte] : {std::pair{3, 200 - 12}, {4, 200 - 127}}) {
    const auto why = why_with(block, byte);
    EXPECT_NE(why.find("1 of 200 rows of the weights spread over more than 11 binades within 128 of K"),
              std::string::npos)
        << why;
  }
}

/// Each call quantises A in front of the product.
TEST_F(A8w4Test, ActivationsThatTheCallQuantises) {
  for (const std::string floats : {"bf16", "fp16", "f32"})
    for (const std::string rest : {"bf16", "f32:bias", "fp16:batch=2"})
      for (const std::string sizes : {"1x65x32", "17x200x1120", "128x333x18816", "300x200x1152"})
        EXPECT_EQ(why_first_wrong(a16w4_fp8_text(sizes, rest, floats)), "");
}

TEST_F(A8w4Test, HardActivationsThatTheCallQuantises) {
  for (const auto recipe :
       {Recipe::one_sign, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_scales, Recipe::nan_inf})
    for (const std::string floats : {"bf16", "f32"})
      EXPECT_EQ(why_first_wrong(a16w4_fp8_text("64x304x1536", "bf16", floats), recipe), "") << to_string(recipe);
}

/// The product starts before the quantiser has ended, and the next call's quantiser before the product has.
TEST_F(A8w4Test, QuantisingCallsOneBehindTheOther) {
  for (const auto& text :
       {a16w4_fp8_text("1x2112x7168"), a16w4_fp8_text("128x576x1536"), a16w4_fp8_text("300x8192x512")})
    EXPECT_EQ(check::why_back_to_back_wrong(*family_, {.problem = text, .seed = 11}, first(parse_problem(text))), "");
}

TEST_F(A8w4Test, NamesSayAll) { EXPECT_EQ(check::why_names_wrong(*family_, a8w4("16x1024x2048")), ""); }

}  // namespace
}  // namespace gemmtune
