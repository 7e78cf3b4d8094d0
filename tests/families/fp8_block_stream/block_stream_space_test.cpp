#include "gemmtune/families/fp8_block_stream/block_stream_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/families/check/in_call.h"
#include "tests/families/fp8_block_stream/block_scaled.h"
#include "tests/support/hopper.h"
#include "tests/support/points_and_names.h"
#include "tests/support/stream_registers.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_fp8_block_stream_family();

namespace {

std::vector<BlockStreamTile> tiles_of(const Problem& problem) {
  std::vector<BlockStreamTile> tiles;
  const Space space = block_stream_space(problem, h100);
  for (const auto& point : space.points()) tiles.push_back(block_stream_tile(point));
  return tiles;
}

TEST(BlockStreamSpace, EachPointIsAKernelAndItsNameSaysWhich) {
  for (const auto* sizes : {"1x2112x7168", "1x24576x1536", "1x32768x512", "1x7168x16384", "3x576x128", "17x2112x2048",
                            "64x2112x7168", "64x7168x2048", "65x64x256", "128x7168x16384", "128x1x128"}) {
    SCOPED_TRACE(sizes);
    const auto problem = block_scaled(sizes);
    expect_kernels_with_names(block_stream_space(problem, h100), 160, block_stream_tile,
                              [&](const BlockStreamTile& tile) { return why_no_block_stream(problem, tile); });
  }
}

TEST(BlockStreamSpace, AllRowsOfAHaveTheSmallestTileThatHoldsThem) {
  for (std::int64_t m = 1; m <= 128; ++m) {
    const auto all = tiles_of(block_scaled(fmt::format("{}x4096x7168", m)));
    ASSERT_FALSE(all.empty()) << m;
    for (const auto& tile : all) {
      EXPECT_GE(tile.tokens, m);
      EXPECT_LT(tile.tokens, m + 32) << m;
    }
  }
}

TEST(BlockStreamSpace, FewRowsOfWeightsAreSplitAlongK) {
  for (const auto& tile : tiles_of(block_scaled("64x576x7168"))) EXPECT_GE(tile.k_blocks, 4);
  for (const auto& tile : tiles_of(block_scaled("64x576x128"))) EXPECT_EQ(tile.parts(), 1);
}

bool has(const std::string& text, const BlockStreamTile& tile) {
  return std::ranges::count(tiles_of(parse_problem(text)), tile) == 1;
}

/// The space must contain the kernels that docs/results/h200-fp8.md found fastest.
TEST(BlockStreamSpace, HasWhatWasFastest) {
  const auto found = [](const std::string& sizes, const BlockStreamTile& tile, const std::string& rest = "bf16") {
    return has(block_scaled_text(sizes, rest), tile);
  };
  EXPECT_TRUE(found("64x2112x7168", {.k_blocks = 4, .w_stages = 6}));
  EXPECT_TRUE(found("64x2112x7168", {.k_blocks = 4, .w_stages = 4}, "bf16:packed"));
  EXPECT_TRUE(found("64x7168x2048", {.k_groups = 2, .w_stages = 8, .a_stages = 8}));
  EXPECT_TRUE(found("64x24576x1536", {.w_stages = 4, .ahead = 1}));
  EXPECT_TRUE(found("64x7168x16384", {.row_groups = 2, .k_blocks = 2, .sharers = 2, .w_stages = 6, .a_stages = 8}));
  EXPECT_TRUE(found("128x7168x16384", {.tokens = 128, .row_groups = 2, .k_blocks = 2, .w_stages = 4}));
  EXPECT_TRUE(found("128x2112x7168", {.tokens = 128, .row_groups = 2, .k_blocks = 4, .w_stages = 4}));
  EXPECT_TRUE(found("128x24576x1536", {.tokens = 128, .row_groups = 2, .subtiles = 2, .w_stages = 3, .a_stages = 3}));
  EXPECT_TRUE(found("128x7168x2048", {.tokens = 128, .w_stages = 4, .ahead = 1}));
  EXPECT_TRUE(found("1x7168x16384", {.tokens = 8, .row_groups = 4, .k_blocks = 4, .w_stages = 3, .a_stages = 8}));
  EXPECT_TRUE(found("1x24576x1536", {.tokens = 8, .w_stages = 8, .a_stages = 8}));
  EXPECT_TRUE(found("1x2112x7168", {.tokens = 8, .k_blocks = 8, .w_stages = 6, .a_stages = 8}));
  EXPECT_TRUE(found("1x4096x7168", {.tokens = 8, .k_groups = 2, .k_blocks = 2, .w_stages = 8, .a_stages = 8}));
  EXPECT_TRUE(found("1x7168x2048", {.tokens = 8, .k_groups = 4, .w_stages = 12, .a_stages = 8}));
  EXPECT_TRUE(found("16x2112x7168", {.tokens = 16, .k_blocks = 8, .w_stages = 4, .a_stages = 8, .ahead = 1}));
  EXPECT_TRUE(found("16x7168x2048", {.tokens = 16, .k_groups = 2, .w_stages = 12, .a_stages = 8}));
}

std::int64_t blocks_at_once(const BlockStreamTile& tile) {
  return stream_blocks_at_once(tile, block_stream_needs(tile));
}

/// 33 clusters of four blocks, of which an H200 holds 30 if each block has a multiprocessor for itself, took 19.3 µs,
/// and 17 of them 13.5. Where two blocks fit, the device holds all 33.
TEST(BlockStreamSpace, ClustersThatSplitKAreOnTheDeviceAtOnce) {
  const BlockStreamTile large{.tokens = 128, .k_blocks = 4, .w_stages = 8};
  const BlockStreamTile small{.tokens = 128, .k_blocks = 4, .w_stages = 4, .a_stages = 3};
  EXPECT_EQ(blocks_at_once(large), 1);
  EXPECT_EQ(blocks_at_once(small), 2);
  EXPECT_FALSE(has(block_scaled_text("128x2112x7168"), large));
  EXPECT_TRUE(has(block_scaled_text("128x2112x7168"), small));
  EXPECT_EQ(blocks_at_once({.k_blocks = 4, .w_stages = 4}), 2);
  EXPECT_EQ(blocks_at_once({.tokens = 8, .w_stages = 8, .a_stages = 8}), 3);
}

/// What a kernel's registers come to: blocks of one warpgroup leave room for a second one, and where four warpgroups'
/// sums do not fit, registers move from the warps that copy.
TEST(BlockStreamSpace, RegistersFitAMultiprocessor) {
  for (const auto* sizes : {"1x2112x7168", "24x24576x1536", "64x7168x2048", "96x2112x7168", "128x7168x16384"})
    for (const auto& tile : tiles_of(block_scaled(sizes))) expect_registers_fit(tile, block_stream_needs(tile));
  EXPECT_EQ(stream_registers({.tokens = 128}, block_stream_needs({.tokens = 128})).even, 168);
}

TEST(BlockStreamSpace, SaysWhatItDoesNotDo) {
  const auto why_not = [](const std::string& text) { return why_not_block_stream(parse_problem(text), h100); };
  EXPECT_EQ(why_not(block_scaled_text("128x1x128")), "");
  EXPECT_EQ(why_not(block_scaled_text("1x2112x7168", "fp16:bias:packed:batch=3")), "");
  EXPECT_EQ(why_not(block_scaled_text("129x8x128")), "is for up to 128 rows of A");
  EXPECT_EQ(why_not(block_scaled_text("1x128x192")), "K % 128 != 0");
  const std::string formats = "multiplies e4m3 with 1x128 scales by e4m3 with 128x128 scales, and MXFP8, only";
  EXPECT_EQ(why_not("8x8x128:mxfp8"), "");
  EXPECT_EQ(why_not("8x8x128:e4m3/1x32:e4m3/32x32:f32:bias:packed:batch=3"), "");
  EXPECT_EQ(why_not("8x8x128:mxfp8:plain"), "folds MXFP8 weights when they are packed, and these are not");
  EXPECT_EQ(why_not("8x8x128:e4m3/1x128:e4m3/1x32:bf16:packed"), "folds MXFP8 on both sides only");
  EXPECT_EQ(why_not("8x8x160:mxfp8"), "K % 128 != 0");
  EXPECT_EQ(why_not("8x8x128:bf16:bf16:bf16"), formats);
  EXPECT_EQ(why_not("8x8x128:e4m3/row:e4m3/row:bf16"), formats);
  EXPECT_EQ(why_not("8x8x128:e4m3/1x128:e4m3/row:bf16"), formats);
  EXPECT_EQ(why_not("8x8x128:e4m3fnuz/1x128:e4m3fnuz/128x128:bf16"), formats);
  EXPECT_EQ(why_not_block_stream(block_scaled("8x8x128"), {.kind = DeviceKind::cuda, .arch = "sm100"}),
            "runs on Hopper GPUs only");
}

TEST(BlockStreamSpace, CallsThatQuantiseHaveTheCandidatesOfTheProduct) {
  const auto family = make_fp8_block_stream_family();
  for (const char* text : {"1x2112x7168:a16w8_blockscale", "64x7168x2048:f32/fp8_1x128:e4m3/128x128:f32:bias:packed"})
    check::expect_candidates_of_product(*family, text, h100);
  EXPECT_EQ(check::why_not(*family, "129x8x128:a16w8_blockscale", h100), "is for up to 128 rows of A");
  EXPECT_EQ(check::why_not(*family, "1x128x192:a16w8_blockscale", h100), "K % 128 != 0");
  EXPECT_EQ(check::why_not(*family, "8x8x128:a16w8", h100),
            "fp8_block_stream does not handle A quantised in the call to e4m3 with scales of rows");
}

TEST(BlockStreamSpace, E8M0ScalesBecomeFloatsInFrontOfTheSameCandidates) {
  const auto family = make_fp8_block_stream_family();
  const auto names = [&](const std::string& types) {
    const auto problem = parse_problem("64x7168x2048:" + types);
    EXPECT_EQ(family->supports(problem, h100).why_not, "") << types;
    std::vector<std::string> found;
    for (const auto& source : family->kernels(problem, family->candidates(problem, h100).front(), h100))
      found.push_back(source.name);
    return found;
  };
  const auto product = names("e4m3/1x128:e4m3/128x128:bf16:packed");
  for (const std::string types :
       {"e4m3/1x128e8m0:e4m3/128x128e8m0:bf16:packed", "e4m3/1x128:e4m3/128x128e8m0:bf16:packed",
        "e4m3/1x128e8m0:e4m3/128x128:bf16:packed"}) {
    auto found = names(types);
    EXPECT_TRUE(found.back().ends_with("e8m0_floats.cu")) << found.back();
    found.pop_back();
    EXPECT_EQ(found, product);
  }
  EXPECT_EQ(names("bf16/fp8_1x128:e4m3/128x128e8m0:bf16:packed").size(), product.size() + 2);
  EXPECT_EQ(family->candidates(parse_problem("64x7168x2048:e4m3/1x128e8m0:e4m3/128x128e8m0:bf16"), h100),
            family->candidates(block_scaled("64x7168x2048"), h100));
}

TEST(BlockStreamSpace, KernelsThatCannotBeAreRefused) {
  const auto problem = block_scaled("64x2112x7168");
  const auto why_no = [&](const BlockStreamTile& tile) { return why_no_block_stream(problem, tile); };
  EXPECT_EQ(why_no({}), "");
  EXPECT_NE(why_no({.tokens = 60}), "");
  EXPECT_NE(why_no({.tokens = 136}), "");
  EXPECT_EQ(why_no({.tokens = 32}), "M > 32: all rows of A are in one tile");
  EXPECT_NE(why_no({.row_groups = 4, .subtiles = 2}), "");
  EXPECT_NE(why_no({.row_groups = 4, .k_groups = 2}), "");
  EXPECT_NE(why_no({.k_blocks = 8, .sharers = 2}), "");
  EXPECT_NE(why_no({.sharers = 3}), "");
  EXPECT_NE(why_no({.w_stages = 1}), "");
  EXPECT_EQ(why_no({.k_groups = 4, .w_stages = 6}), "warpgroups along K have equally many stages");
  EXPECT_NE(why_no({.ahead = 2}), "");
  EXPECT_NE(why_no_block_stream(block_scaled("64x2112x7168", "bf16:packed"), {.ahead = 1}), "");
  EXPECT_EQ(why_no({.tokens = 96, .row_groups = 4, .w_stages = 2, .a_stages = 2}), "sums do not fit into registers");
  EXPECT_NE(why_no({.k_groups = 4, .a_stages = 2}), "");
  EXPECT_EQ(why_no({.row_groups = 4, .w_stages = 8}), "needs 296224 bytes of shared memory, and a block has 232448");
}

/// A kernel takes its sizes from arguments, so that one compilation serves all of them.
TEST(BlockStreamSpace, SourcesDoNotDependOnSizes) {
  const BlockStreamTile tile{};
  EXPECT_EQ(cache_key(block_stream_source(block_scaled("64x2112x7168"), tile), "NVRTC"),
            cache_key(block_stream_source(block_scaled("33x576x128"), tile), "NVRTC"));
  EXPECT_NE(cache_key(block_stream_source(block_scaled("64x2112x7168"), tile), "NVRTC"),
            cache_key(block_stream_source(block_scaled("64x2112x7168", "fp16"), tile), "NVRTC"));
}

}  // namespace
}  // namespace gemmtune
