// Tests against the reference. They need a Hopper GPU and are skipped elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gemmtune/families/fp8_block/block_space.h"
#include "tests/families/check/back_to_back.h"
#include "tests/families/check/compile_ahead.h"
#include "tests/families/check/gpu_family_test.h"
#include "tests/families/fp8_block_stream/block_scaled.h"
#include "tests/support/covering_pairs.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_family();

namespace {

class BlockTest : public check::GpuFamilyTest {
 protected:
  BlockTest() : GpuFamilyTest(make_fp8_block_family(), block_scaled_text("128x64x128")) {}

  /// The first candidate, and the first one for each other way and shape of a tile.
  std::vector<Candidate> kinds(const Problem& problem) const {
    std::set<std::vector<std::int64_t>> seen;
    std::vector<Candidate> candidates;
    const Space space = block_space(problem, *info_);
    for (const auto& point : space.points())
      if (seen.insert({point["m"], point["n"], point["r"], point["way"], point["k"] > 1}).second)
        candidates.push_back(space.candidate("fp8_block", point));
    return candidates;
  }

  void expect_right(const std::string& text, Recipe recipe = Recipe::gaussian) const {
    const auto candidates = kinds(parse_problem(text));
    check::compile_ahead(*family_, text, *info_, candidates);
    for (const auto& candidate : candidates)
      EXPECT_EQ(check::why_wrong(*family_, {.problem = text, .recipe = recipe, .seed = 5}, candidate), "");
  }
};

/// Tiles of one problem multiply another one, whose sizes nothing divides.
TEST_F(BlockTest, EveryTileIsRightOnRaggedSizes) {
  struct Two {
    std::string tiles_of;
    std::string sizes;
  };
  for (const auto& [tiles_of, sizes] : {Two{"128x2112x7168", "127x300x3072"}, Two{"128x24576x1536", "67x1111x2560"},
                                        Two{"4096x2112x7168", "777x520x4608"}, Two{"4096x7168x2048", "1030x712x2304"},
                                        Two{"8192x8192x8192", "515x2112x1152"}}) {
    const auto text = block_scaled_text(sizes);
    const Space space = block_space(block_scaled(tiles_of), *info_);
    std::vector<Candidate> candidates;
    for (const auto& point : covering_pairs(space.points()))
      if (why_no_block_gemm(parse_problem(text), block_tile(point), info_->cu_num).empty())
        candidates.push_back(space.candidate("fp8_block", point));
    check::compile_ahead(*family_, text, *info_, candidates);
    for (const auto& candidate : candidates)
      EXPECT_EQ(check::why_wrong(*family_, {.problem = text, .seed = 3}, candidate), "");
  }
}

TEST_F(BlockTest, SizesThatNothingDivides) {
  for (const std::string sizes : {"65x1x128", "129x129x256", "130x2112x384", "257x333x2048", "300x576x1152"})
    expect_right(block_scaled_text(sizes));
}

TEST_F(BlockTest, OutputsBiasAndBatches) {
  for (const std::string rest : {"f32", "fp16:bias", "f32:bias", "bf16:batch=3", "bf16:bias:batch=2", "bf16:packed"})
    for (const std::string sizes : {"100x200x640", "270x201x1536"}) expect_right(block_scaled_text(sizes, rest));
}

TEST_F(BlockTest, HardOperands) {
  for (const auto recipe :
       {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf})
    for (const std::string sizes : {"130x300x2048", "260x200x1024"}) expect_right(block_scaled_text(sizes), recipe);
}

/// More tiles than the device holds at once, with and without parts along K.
TEST_F(BlockTest, SeveralRoundsOfTiles) {
  expect_right(block_scaled_text("4096x2112x2048"));
  for (const std::string rest : {"fp16:bias:batch=40", "f32:batch=40"})
    expect_right(block_scaled_text("270x201x640", rest));
  expect_right("270x208x1536:mxfp8:bias:batch=40");
}

TEST_F(BlockTest, ScalesAtTheEndsOfTheirRange) {
  const auto problem = block_scaled("130x200x1024", "f32");
  const auto host = with_scales_far_from_one(problem);
  for (const auto& candidate : kinds(problem))
    EXPECT_EQ(check::why_wrong_on(*family_, problem, host, candidate, "scales far from 1"), "");
}

/// MXFP8 is folded, and W has a scale for each row: every way of writing C applies it.
TEST_F(BlockTest, FoldedMxfp8) {
  for (const std::string sizes : {"65x64x128", "100x200x640", "270x201x1536"})
    for (const std::string rest : {":mxfp8", ":mxfp8:bias", ":mxfp8:out=f32:batch=2", ":mxfp8:out=fp16:bias:batch=3",
                                   ":e4m3/1x32:e4m3/32x32:bf16:packed", ":e4m3/1x32:e4m3/32x32:f32:batch=2:packed"})
      expect_right(sizes + rest);
}

TEST_F(BlockTest, HardMxfp8Operands) {
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows,
                            Recipe::nan_scales, Recipe::nan_inf})
    for (const std::string text : {"130x300x2048:mxfp8", "260x200x1024:e4m3/1x32:e4m3/32x32:bf16:packed"})
      expect_right(text, recipe);
}

/// Scales at the ends of their range that meet, and blocks of zeros and NaN among them.
TEST_F(BlockTest, Mxfp8ScalesAtTheEndsOfTheirRange) {
  constexpr std::size_t blocks = 32;
  const auto problem = parse_problem("130x200x1024:mxfp8:out=f32");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  for (std::size_t block = 0; block < blocks; ++block) {
    host.a_scale[3 * blocks + block] = std::byte{127 - 100};
    host.w_scale[9 * blocks + block] = std::byte{127 + 90};
  }
  host.a_scale[5 * blocks + 7] = std::byte{255};
  host.w_scale[11 * blocks + 31] = std::byte{255};
  for (const auto& candidate : kinds(problem))
    EXPECT_EQ(check::why_wrong_on(*family_, problem, host, candidate, "scales far from 1"), "");
}

TEST_F(BlockTest, RefusesMxfp8WeightsThatLoseTooMuch) {
  const auto problem = parse_problem("130x64x8192:mxfp8");
  auto host = draw_operands(problem, Recipe::gaussian, 8);
  std::fill(host.w.begin(), host.w.begin() + 8192, std::byte{0x38});
  host.w[0] = std::byte{0x77};
  std::fill(host.w_scale.begin(), host.w_scale.begin() + 256, std::byte{127 - 10});
  host.w_scale[0] = std::byte{127};
  EXPECT_NE(check::why_wrong_on(*family_, problem, host, kinds(problem).front(), "blocks far apart")
                .find("1 of 64 rows of the weights do not fit"),
            std::string::npos);
}

/// Each call quantises A in front of the product.
TEST_F(BlockTest, ActivationsThatTheCallQuantises) {
  for (const std::string rest : {":a16w8_blockscale", ":f16/fp8_1x128:e4m3/128x128:f32:bias:batch=2:packed"})
    for (const std::string sizes : {"65x64x128", "270x201x1536"}) expect_right(sizes + rest);
  for (const auto recipe :
       {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows, Recipe::nan_inf})
    EXPECT_EQ(why_first_wrong("130x300x2048:a16w8_blockscale", recipe), "");
}

/// Of the first, the product starts early; the second has more tiles than the device holds at once.
TEST_F(BlockTest, QuantisingCallsOneBehindTheOther) {
  for (const std::string text : {"130x576x1536:a16w8_blockscale", "1024x4096x256:a16w8_blockscale"})
    EXPECT_EQ(check::why_back_to_back_wrong(*family_, {.problem = text, .seed = 11}, first(parse_problem(text))), "");
}

TEST_F(BlockTest, E8M0Scales) {
  for (const std::string types :
       {"e4m3/1x128e8m0:e4m3/128x128e8m0:bf16", "e4m3/1x128e8m0:e4m3/128x128e8m0:f32:bias:batch=2:packed",
        "e4m3/1x128:e4m3/128x128e8m0:bf16:packed", "e4m3/1x128e8m0:e4m3/128x128:bf16",
        "bf16/fp8_1x128:e4m3/128x128e8m0:bf16:packed"})
    for (const std::string sizes : {"65x64x128:", "270x201x1536:"}) EXPECT_EQ(why_first_wrong(sizes + types), "");
  for (const auto recipe : {Recipe::one_sign, Recipe::wide_exponents, Recipe::zero_blocks, Recipe::wide_rows,
                            Recipe::nan_scales, Recipe::nan_inf})
    EXPECT_EQ(why_first_wrong("128x300x2048:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16", recipe), "");
}

TEST_F(BlockTest, NamesSayAll) { EXPECT_EQ(check::why_names_wrong(*family_, block_scaled("256x1024x2048")), ""); }

}  // namespace
}  // namespace gemmtune
