#include "gemmtune/families/wgmma_stream/wgmma_stream_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/families/check/in_call.h"
#include "tests/support/hopper.h"
#include "tests/support/points_and_names.h"
#include "tests/support/stream_registers.h"

namespace gemmtune {

std::unique_ptr<KernelFamily> make_wgmma_stream_family();

namespace {

constexpr const char* types[]{":e4m3/row:e4m3/row:bf16", ":e4m3/tensor:e4m3/row:f32:packed", ":bf16:bf16:bf16:bias",
                              ":fp16:fp16:f32:packed"};

std::vector<StreamTile> tiles_of(const std::string& text) {
  std::vector<StreamTile> tiles;
  const Space space = wgmma_stream_space(parse_problem(text), h100);
  for (const auto& point : space.points()) tiles.push_back(stream_tile(point));
  return tiles;
}

TEST(WgmmaStreamSpace, EachPointIsAKernelAndItsNameSaysWhich) {
  for (const std::string sizes : {"1x2112x7168", "1x32768x512", "3x576x128", "17x1536x7168", "64x7168x2048",
                                  "65x64x272", "128x24576x1536", "128x1x16"})
    for (const auto* type : types) {
      SCOPED_TRACE(sizes + type);
      const auto problem = parse_problem(sizes + type);
      expect_kernels_with_names(wgmma_stream_space(problem, h100), 160, stream_tile,
                                [&](const StreamTile& tile) { return why_no_wgmma_stream(problem, tile); });
    }
}

TEST(WgmmaStreamSpace, AllRowsOfAHaveTheSmallestTileThatHoldsThem) {
  for (const std::int64_t m : {1, 8, 9, 33, 64, 65, 97, 128}) {
    const auto all = tiles_of(fmt::format("{}x4096x7168:bf16:bf16:bf16", m));
    ASSERT_FALSE(all.empty()) << m;
    for (const auto& tile : all) {
      EXPECT_GE(tile.tokens, m);
      EXPECT_LT(tile.tokens, m + 32) << m;
    }
  }
}

/// Of small weights, a block for each multiprocessor needs K to be split. Large ones have rows enough.
TEST(WgmmaStreamSpace, TheFirstChoiceIsAboutOneBlockForEachMultiprocessor) {
  for (const auto* type : types) {
    const auto first = [&](const std::string& sizes) { return tiles_of(sizes + type).front(); };
    EXPECT_EQ(first("1x2112x7168").k_blocks, 4);
    EXPECT_EQ(first("64x2112x7168").k_blocks, 4);
    EXPECT_EQ(first("16x1536x7168").k_blocks, 4);
    EXPECT_EQ(first("64x4096x7168").k_blocks, 2);
    EXPECT_EQ(first("16x7168x2048").k_blocks, 1);
    EXPECT_EQ(first("16x7168x2048").k_groups, 2);
    EXPECT_EQ(first("64x24576x1536").parts(), 1);
  }
}

TEST(WgmmaStreamSpace, RegistersFitAMultiprocessor) {
  for (const std::string sizes : {"1x2112x7168", "64x7168x2048", "96x2112x7168", "128x7168x16384"})
    for (const auto* type : types)
      for (const auto& tile : tiles_of(sizes + type))
        expect_registers_fit(tile, wgmma_stream_needs(parse_problem(sizes + type), tile));
}

TEST(WgmmaStreamSpace, SaysWhatItDoesNotDo) {
  const auto why_not = [](const std::string& text) { return why_not_wgmma_stream(parse_problem(text), h100); };
  EXPECT_EQ(why_not("128x1x16:e4m3/row:e4m3/row:bf16"), "");
  EXPECT_EQ(why_not("1x2112x7184:e4m3/tensor:e4m3/row:f32:bias:packed:batch=3"), "");
  EXPECT_EQ(why_not("1x8x16:e4m3:e4m3:fp16"), "");
  EXPECT_EQ(why_not("1x8x8:bf16:bf16:fp16"), "");
  EXPECT_EQ(why_not("129x8x128:bf16:bf16:bf16"), "is for up to 128 rows of A");
  EXPECT_EQ(why_not("8x8x24:e4m3/row:e4m3/row:bf16"), "K % 16 != 0");
  EXPECT_EQ(why_not("8x8x12:fp16:fp16:bf16"), "K % 8 != 0");
  const std::string of_types = "multiplies e4m3 by e4m3, bf16 by bf16 and fp16 by fp16 only";
  EXPECT_EQ(why_not("8x8x128:bf16:fp16:bf16"), of_types);
  EXPECT_EQ(why_not("8x8x128:f32:f32:f32"), of_types);
  EXPECT_EQ(why_not("8x8x128:int8/row:int8/row:bf16"), of_types);
  EXPECT_EQ(why_not("8x8x128:e4m3fnuz/row:e4m3fnuz/row:bf16"), of_types);
  const std::string of_scales = "takes scales of rows or of whole tensors of e4m3 only";
  EXPECT_EQ(why_not("8x8x128:e4m3/1x128:e4m3/128x128:bf16"), of_scales);
  EXPECT_EQ(why_not("8x8x128:e4m3/row:e4m3/128x128:bf16"), of_scales);
  EXPECT_EQ(why_not("8x8x128:bf16/row:bf16:bf16"), of_scales);
  EXPECT_EQ(why_not_wgmma_stream(parse_problem("8x8x128:bf16:bf16:bf16"), {.kind = DeviceKind::cuda, .arch = "sm100"}),
            "runs on Hopper GPUs only");
}

/// Sums that stay in the tensor core are in flight while a warpgroup waits for the next chunk.
TEST(WgmmaStreamSpace, CallsThatQuantiseHaveTheCandidatesOfTheProduct) {
  const auto family = make_wgmma_stream_family();
  for (const char* text : {"1x2112x7168:a16w8", "64x7168x2048:f32/fp8_row:e4m3/tensor:f32:bias:packed"})
    check::expect_candidates_of_product(*family, text, h100);
  EXPECT_EQ(check::why_not(*family, "8x8x24:a16w8", h100), "K % 16 != 0");
  EXPECT_EQ(check::why_not(*family, "8x8x128:bf16/fp8_row:e2m1/1x32:bf16", h100),
            "multiplies e4m3 by e4m3, bf16 by bf16 and fp16 by fp16 only");
  EXPECT_EQ(check::why_not(*family, "8x8x128:a16w8_blockscale", h100),
            "wgmma_stream does not handle A quantised in the call to e4m3 with 1x128 scales");
}

TEST(WgmmaStreamSpace, KernelsThatCannotBeAreRefused) {
  const auto fp8 = parse_problem("64x2112x7168:e4m3/row:e4m3/row:bf16");
  const auto bf16 = parse_problem("64x2112x7168:bf16:bf16:bf16");
  const StreamTile short_ring{.k_groups = 4, .w_stages = 4, .a_stages = 4};
  EXPECT_EQ(why_no_wgmma_stream(fp8, short_ring), "");
  EXPECT_EQ(why_no_wgmma_stream(bf16, short_ring), "each of the warpgroups along K needs two stages");
  EXPECT_EQ(why_no_wgmma_stream(bf16, {.k_groups = 4, .w_stages = 8, .a_stages = 8}), "");
  EXPECT_EQ(why_no_wgmma_stream(bf16, {.tokens = 32}), "M > 32: all rows of A are in one tile");
  const StreamTile many_sums{.tokens = 128, .row_groups = 4, .w_stages = 2, .a_stages = 2};
  EXPECT_EQ(why_no_wgmma_stream(fp8, many_sums), "sums do not fit into registers");
  EXPECT_EQ(why_no_wgmma_stream(bf16, many_sums), "");
}

/// A kernel takes its sizes from arguments, so that one compilation serves all of them.
TEST(WgmmaStreamSpace, SourcesDependOnTypesAndScalesAndNotOnSizes) {
  const auto key = [](const std::string& text) {
    return cache_key(wgmma_stream_source(parse_problem(text), {}), "NVRTC");
  };
  EXPECT_EQ(key("64x2112x7168:e4m3/row:e4m3/row:bf16"), key("33x576x144:e4m3/row:e4m3/row:bf16"));
  EXPECT_NE(key("64x2112x7168:e4m3/row:e4m3/row:bf16"), key("64x2112x7168:e4m3/row:e4m3/tensor:bf16"));
  EXPECT_NE(key("64x2112x7168:e4m3/row:e4m3/row:bf16"), key("64x2112x7168:e4m3/tensor:e4m3/row:bf16"));
  EXPECT_NE(key("64x2112x7168:bf16:bf16:bf16"), key("64x2112x7168:fp16:fp16:bf16"));
}

}  // namespace
}  // namespace gemmtune
