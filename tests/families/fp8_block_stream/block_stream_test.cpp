// Tests against the reference. They need a Hopper GPU and are skipped elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/fp8_block_stream/block_stream_space.h"
#include "tests/families/check/back_to_back.h"
#include "tests/families/check/compile_ahead.h"
#include "tests/families/check/gpu_family_test.h"
#include "tests/families/fp8_block_stream/block_scaled.h"
#include "tests/support/covering_pairs.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_stream_family();

namespace {

class BlockStreamTest : public check::GpuFamilyTest {
 protected:
  BlockStreamTest() : GpuFamilyTest(make_fp8_block_stream_family(), block_scaled_text("16x64x128")) {}
};

/// Tiles of one problem multiply another one, whose sizes nothing divides and whose K may be shorter than its parts.
TEST_F(BlockStreamTest, EveryTileIsRightOnRaggedSizes) {
  struct Two {
    std::string tiles_of;
    std::string sizes;
  };
  for (const auto& [tiles_of, sizes] :
       {Two{"1x2112x7168", "1x576x2048"}, Two{"16x7168x2048", "3x520x1152"}, Two{"24x2112x7168", "17x711x128"},
        Two{"64x2112x7168", "61x300x1664"}, Two{"64x7168x2048", "60x301x384"}, Two{"128x7168x16384", "127x300x1152"},
        Two{"128x24576x1536", "65x330x640"}})
    for (const std::string rest : {"bf16", "bf16:packed"}) {
      const check::Case one{.problem = block_scaled_text(sizes, rest), .seed = 3};
      const Space space = block_stream_space(block_scaled(tiles_of, rest), *info_);
      std::vector<Candidate> candidates;
      for (const auto& point : covering_pairs(space.points()))
        candidates.push_back(space.candidate("fp8_block_stream", point));
      check::compile_ahead(*family_, one.problem, *info_, candidates);
      for (const auto& candidate : candidates) EXPECT_EQ(check::why_wrong(*family_, one, candidate), "");
    }
}

TEST_F(BlockStreamTest, SizesThatNothingDivides) {
  for (const std::string sizes : {"1x1x128", "3x65x128", "17x129x256", "128x127x384", "9x333x2048", "100x7x1152"})
    for (const std::string rest : {"bf16", "bf16:packed"})
      EXPECT_EQ(why_first_wrong(block_scaled_text(sizes, rest)), "");
}

TEST_F(BlockStreamTest, OutputsBiasAndBatches) {
  for (const std::string rest :
       {"f32", "fp16:bias", "f32:bias", "bf16:batch=3", "bf16:bias:batch=2", "fp16:packed:batch=2"})
    for (const std::string sizes : {"15x200x640", "70x201x1152"})
      EXPECT_EQ(why_first_wrong(block_scaled_text(sizes, rest)), "");
}

TEST_F(BlockStreamTest, HardOperands) {
  for (const auto recipe :
       {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf})
    for (const std::string sizes : {"16x300x2048", "64x300x1536", "128x200x1024"})
      EXPECT_EQ(why_first_wrong(block_scaled_text(sizes), recipe), "") << to_string(recipe);
}

TEST_F(BlockStreamTest, ScalesAtTheEndsOfTheirRange) {
  const auto problem = block_scaled("17x200x1024", "f32");
  EXPECT_EQ(why_first_wrong_on(problem, with_scales_far_from_one(problem), "scales far from 1"), "");
}

/// MXFP8 is folded, and W has a scale for each row: every way of writing C applies it.
TEST_F(BlockStreamTest, FoldedMxfp8) {
  for (const std::string sizes : {"1x64x128", "15x200x640", "70x201x1152", "128x333x2048"})
    for (const std::string rest : {":mxfp8", ":mxfp8:bias", ":mxfp8:out=f32:batch=2", ":mxfp8:out=fp16:bias:batch=3",
                                   ":e4m3/1x32:e4m3/32x32:bf16:packed", ":e4m3/1x32:e4m3/32x32:f32:batch=2:packed"})
      EXPECT_EQ(why_first_wrong(sizes + rest), "");
}

TEST_F(BlockStreamTest, HardMxfp8Operands) {
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows,
                            Recipe::nan_scales, Recipe::nan_inf})
    for (const std::string text : {"16x300x2048:mxfp8", "64x300x1536:e4m3/1x32:e4m3/32x32:bf16:packed"})
      EXPECT_EQ(why_first_wrong(text, recipe), "") << to_string(recipe);
}

/// Scales at the ends of their range that meet, and blocks of zeros and NaN among them.
TEST_F(BlockStreamTest, Mxfp8ScalesAtTheEndsOfTheirRange) {
  constexpr std::size_t blocks = 32;
  const auto problem = parse_problem("17x200x1024:mxfp8:out=f32");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  for (std::size_t block = 0; block < blocks; ++block) {
    host.a_scale[3 * blocks + block] = std::byte{127 - 100};
    host.w_scale[9 * blocks + block] = std::byte{127 + 90};
  }
  host.a_scale[5 * blocks + 7] = std::byte{255};
  host.w_scale[11 * blocks + 31] = std::byte{255};
  EXPECT_EQ(why_first_wrong_on(problem, host, "scales far from 1"), "");
}

TEST_F(BlockStreamTest, RefusesMxfp8WeightsThatLoseTooMuch) {
  const auto problem = parse_problem("17x64x8192:mxfp8");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  std::fill(host.w.begin(), host.w.begin() + 8192, std::byte{0x38});
  host.w[0] = std::byte{0x77};
  std::fill(host.w_scale.begin(), host.w_scale.begin() + 256, std::byte{127 - 10});
  host.w_scale[0] = std::byte{127};
  EXPECT_NE(why_first_wrong_on(problem, host, "blocks far apart").find("1 of 64 rows of the weights do not fit"),
            std::string::npos);
}

/// Each call quantises A in front of the product.
TEST_F(BlockStreamTest, ActivationsThatTheCallQuantises) {
  for (const std::string rest : {"bf16/fp8_1x128:e4m3/128x128:bf16", "f16/fp8_1x128:e4m3/128x128:f32:bias:packed",
                                 "f32/fp8_1x128:e4m3/128x128:bf16:batch=2:packed"})
    for (const std::string sizes : {"1x65x128:", "17x200x1152:", "128x333x2048:"})
      EXPECT_EQ(why_first_wrong(sizes + rest), "");
}

TEST_F(BlockStreamTest, HardActivationsThatTheCallQuantises) {
  for (const auto recipe :
       {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf})
    for (const std::string type : {"bf16", "f32"})
      EXPECT_EQ(why_first_wrong("64x300x1536:" + type + "/fp8_1x128:e4m3/128x128:bf16:packed", recipe), "");
}

/// The product starts before the quantiser has ended, and the next call's quantiser before the product has.
TEST_F(BlockStreamTest, QuantisingCallsOneBehindTheOther) {
  for (const std::string text : {"1x2112x7168:a16w8_blockscale:packed", "128x576x1536:a16w8_blockscale"})
    EXPECT_EQ(check::why_back_to_back_wrong(*family_, {.problem = text, .seed = 11}, first(parse_problem(text))), "");
}

TEST_F(BlockStreamTest, E8M0Scales) {
  for (const std::string types :
       {"e4m3/1x128e8m0:e4m3/128x128e8m0:bf16", "e4m3/1x128e8m0:e4m3/128x128e8m0:f32:bias:batch=2:packed",
        "e4m3/1x128:e4m3/128x128e8m0:bf16:packed", "e4m3/1x128e8m0:e4m3/128x128:bf16",
        "bf16/fp8_1x128:e4m3/128x128e8m0:bf16:packed"})
    for (const std::string sizes : {"1x65x128:", "17x200x1152:", "128x333x2048:"})
      EXPECT_EQ(why_first_wrong(sizes + types), "");
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows,
                            Recipe::nan_scales, Recipe::nan_inf})
    EXPECT_EQ(why_first_wrong("128x300x2048:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16", recipe), "");
}

TEST_F(BlockStreamTest, NamesSayAll) { EXPECT_EQ(check::why_names_wrong(*family_, block_scaled("16x1024x2048")), ""); }

}  // namespace
}  // namespace gemmtune
