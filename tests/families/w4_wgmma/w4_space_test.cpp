#include "gemmtune/families/w4_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gemmtune/families/w4_family.h"
#include "tests/families/check/in_call.h"
#include "tests/families/w4_wgmma/a16w4.h"
#include "tests/support/hopper.h"
#include "tests/support/points_and_names.h"

namespace gemmtune {
namespace {

std::vector<W4Tile> tiles_of(const Problem& problem) {
  std::vector<W4Tile> tiles;
  const Space space = w4_space(problem, h100);
  for (const auto& point : space.points()) tiles.push_back(w4_tile(point));
  return tiles;
}

/// Of both families.
std::vector<std::pair<Problem, W4Tile>> tiles_of_both(const char* sizes) {
  std::vector<std::pair<Problem, W4Tile>> all;
  for (const auto& problem : {a16w4(sizes), a8w4(sizes)})
    for (const auto& tile : tiles_of(problem)) all.emplace_back(problem, tile);
  return all;
}

TEST(W4Space, EachPointIsAKernelAndItsNameSaysWhich) {
  for (const auto* sizes :
       {"1x8192x8192", "1x57344x8192", "16x8192x28672", "3x7168x2048", "17x2880x2880", "64x8192x8192", "64x512x32",
        "100x1x96", "128x8192x8192", "256x8192x8192", "4096x8192x8192", "4096x2880x2880", "1000x65x160"})
    for (const auto& problem : {a16w4(sizes), a16w4_nvfp4(sizes), a8w4(sizes)}) {
      SCOPED_TRACE(to_string(problem));
      expect_kernels_with_names(w4_space(problem, h100), 160, w4_tile,
                                [&](const W4Tile& tile) { return why_no_w4(problem, tile); });
    }
}

TEST(W4Space, TheFirstKernelIsOneThatWonOnAnH200) {
  const auto first = [](const char* sizes) {
    const Space space = w4_space(a16w4(sizes), h100);
    return space.name(space.points().front());
  };
  EXPECT_EQ(first("1x8192x8192"), "a16w4_wgmma_n8_r1_u1_q2_c2_x1_s12");
  EXPECT_EQ(first("17x8192x28672"), "a16w4_wgmma_n24_r1_u1_q2_c2_x1_s8");
  EXPECT_EQ(first("128x8192x8192"), "a16w4_wgmma_n128_r2_u1_q1_c2_x1_s4");
  EXPECT_EQ(first("4096x8192x8192"), "a16w4_wgmma_n256_r2_u1_q1_c1_x2_s3");
}

TEST(W4Space, TheFirstKernelForFp8IsTheLikeOfTheFirstForBf16) {
  const auto first = [](const char* sizes) {
    const Space space = w4_space(a8w4(sizes), h100);
    return space.name(space.points().front());
  };
  EXPECT_EQ(first("1x8192x8192"), "a8w4_wgmma_n8_r1_u1_q2_c2_x1_s12");
  EXPECT_EQ(first("64x8192x8192"), "a8w4_wgmma_n64_r2_u1_q1_c2_x1_s4");
  EXPECT_EQ(first("4096x8192x8192"), "a8w4_wgmma_n256_r2_u1_q1_c1_x2_s5");
}

TEST(W4Space, FewRowsOfAHaveTheSmallestTileThatHoldsThem) {
  for (std::int64_t m = 1; m <= 128; ++m) {
    const auto all = tiles_of(a16w4(fmt::format("{}x8192x8192", m)));
    ASSERT_FALSE(all.empty()) << m;
    for (const auto& tile : all) {
      EXPECT_GE(tile.tokens, m);
      EXPECT_LT(tile.tokens, m + 32) << m;
    }
  }
}

TEST(W4Space, ManyRowsOfAHaveLargeTiles) {
  for (const auto* sizes : {"129x8192x8192", "256x2880x2880", "4096x8192x8192", "16384x57344x8192"})
    for (const auto& tile : tiles_of(a16w4(sizes))) {
      EXPECT_GE(tile.tokens, 128) << sizes;
      EXPECT_GE(tile.rows(), 128) << sizes;
    }
  const auto all = tiles_of(a16w4("4096x8192x8192"));
  const auto has = [&](const W4Tile& tile) { return std::ranges::count(all, tile) == 1; };
  EXPECT_TRUE(has({.tokens = 128, .subtiles = 2, .sharers = 2, .stages = 4}));
  EXPECT_TRUE(has({.tokens = 256, .sharers = 2, .stages = 3}));
}

/// Few rows of weights occupy all multiprocessors only if K is split.
TEST(W4Space, FewRowsOfWeightsAreSplitAlongK) {
  for (const auto& tile : tiles_of(a16w4("16x576x8192"))) EXPECT_GE(tile.k_blocks, 4);
  for (const auto& tile : tiles_of(a16w4("16x576x128"))) EXPECT_EQ(tile.parts(), 1);
}

TEST(W4Space, RegistersFitAMultiprocessor) {
  for (const auto* sizes :
       {"1x8192x8192", "24x57344x8192", "64x8192x8192", "96x7168x2048", "128x8192x8192", "4096x8192x8192"}) {
    for (const auto& [problem, tile] : tiles_of_both(sizes)) {
      const auto [even, many] = w4_registers(problem, tile);
      const auto threads = w4_threads(problem, tile);
      const auto blocks = w4_blocks_at_once(problem, tile);
      const auto warps_of_quarter = (threads / 32 + 3) / 4;
      EXPECT_LE(blocks * warps_of_quarter * even * 32, 16'384);
      EXPECT_LE(blocks * (w4_shared_bytes(problem, tile) + 1024), 233'472);
      if (many == 0) continue;
      EXPECT_EQ(threads, 128 * (tile.warpgroups() + 1));
      EXPECT_LE(tile.warpgroups() * many + 40, (tile.warpgroups() + 1) * even);
    }
  }
}

/// 32 clusters of four blocks, of which the device holds 30 if each block has a multiprocessor for itself.
TEST(W4Space, ClustersThatSplitKAreOnTheDeviceAtOnce) {
  const auto problem = a16w4("16x8192x8192");
  const W4Tile small{.tokens = 16, .subtiles = 2, .k_blocks = 4, .stages = 3};
  const W4Tile large{.tokens = 16, .row_groups = 4, .k_blocks = 4, .stages = 3};
  EXPECT_EQ(w4_blocks_at_once(problem, small), 2);
  EXPECT_EQ(w4_blocks_at_once(problem, large), 1);
  const auto all = tiles_of(problem);
  EXPECT_EQ(std::ranges::count(all, small), 1);
  EXPECT_EQ(std::ranges::count(all, large), 0);
}

/// Blocks that do not split K take turns, equally many each.
TEST(W4Space, GridsHaveEqualTurns) {
  const W4Tile tile{.tokens = 128, .subtiles = 2, .stages = 4};
  EXPECT_EQ(w4_tiles(a16w4("4096x8192x8192"), tile), 1024);
  EXPECT_EQ(w4_blocks(a16w4("4096x8192x8192"), tile, 132), 128);
  EXPECT_EQ(w4_blocks(a16w4("128x2880x2880"), tile, 132), 12);
  EXPECT_EQ(w4_blocks(a16w4("16x8192x8192"), {.k_blocks = 4}, 132), 256);
}

TEST(W4Space, SaysWhatItDoesNotDo) {
  const auto why_not = [](const std::string& text) {
    return why_not_w4(W4Activations::bf16, parse_problem(text), h100);
  };
  EXPECT_EQ(why_not(a16w4_text("1x1x32")), "");
  EXPECT_EQ(why_not(a16w4_text("100000x2880x2880", "fp16:bias:batch=3")), "");
  EXPECT_EQ(why_not(a16w4_nvfp4_text("64x2880x2880", "f32")), "");
  EXPECT_EQ(why_not(a16w4_text("8x8x48")), "K % 32 != 0");
  EXPECT_EQ(why_not("8x8x64:bf16:e2m1/1x32:bf16"), "lays the weights out anew once, so it needs packed weights");
  EXPECT_EQ(why_not("8x8x64:fp16:e2m1/1x32:bf16:packed"), "multiplies A in bf16 only");
  EXPECT_EQ(why_not("8x8x64:bf16/q8:e2m1/1x32:bf16:packed"), "multiplies A in bf16 only");
  EXPECT_EQ(why_not("8x8x64:bf16:bf16:bf16:packed"), "multiplies weights in MXFP4 or NVFP4 only");
  EXPECT_EQ(why_not_w4(W4Activations::bf16, a16w4("8x8x64"), {.kind = DeviceKind::cuda, .arch = "sm100"}),
            "runs on Hopper GPUs only");
}

TEST(W4Space, SaysWhatItDoesNotDoInFp8) {
  const auto why_not = [](const std::string& text) {
    return why_not_w4(W4Activations::e4m3, parse_problem(text), h100);
  };
  EXPECT_EQ(why_not(a8w4_text("1x1x32")), "");
  EXPECT_EQ(why_not("100000x2880x2880:e4m3/tensor:e2m1/1x32:fp16:bias:packed"), "");
  EXPECT_EQ(why_not(a8w4_text("8x8x48")), "K % 32 != 0");
  EXPECT_EQ(why_not("8x8x64:e4m3/row:e2m1/1x32:bf16"), "lays the weights out anew once, so it needs packed weights");
  const std::string a = "multiplies A in e4m3 with scales of rows or of whole matrices only";
  EXPECT_EQ(why_not(a16w4_text("8x8x64")), a);
  EXPECT_EQ(why_not("8x8x64:e4m3/1x128:e2m1/1x32:bf16:packed"), a);
  EXPECT_EQ(why_not("8x8x64:e4m3/row:e2m1/1x16:bf16:packed"), "multiplies weights in MXFP4 only");
}

TEST(W4Space, CallsThatQuantiseHaveTheCandidatesOfTheProduct) {
  const auto family = make_w4_family(W4Activations::e4m3);
  for (const auto& text : {a16w4_fp8_text("1x2112x7168"), a16w4_fp8_text("64x8192x8192", "fp16:bias", "fp16"),
                           a16w4_fp8_text("4096x2880x2880", "f32:batch=3", "f32")})
    check::expect_candidates_of_product(*family, text, h100);
  const auto why_not = [&](const char* text) { return check::why_not(*family, text, h100); };
  EXPECT_EQ(why_not("8x8x48:a16w4_fp8"), "K % 32 != 0");
  EXPECT_EQ(why_not("8x8x64:a16w4_fp8:plain"), "lays the weights out anew once, so it needs packed weights");
  EXPECT_EQ(why_not("8x8x64:a16w8:packed"), "multiplies weights in MXFP4 only");
  EXPECT_EQ(why_not("8x8x64:a16w4_fp8:lda=72"), "a8w4_wgmma does not handle leading dimensions");
  EXPECT_EQ(why_not("8x8x128:bf16/fp8_1x128:e2m1/1x32:bf16:packed"),
            "a8w4_wgmma does not handle A quantised in the call to e4m3 with 1x128 scales");
  EXPECT_EQ(check::why_not(*make_w4_family(W4Activations::bf16), "8x8x64:a16w4_fp8", h100),
            "a16w4_wgmma does not handle A quantised in the call to e4m3 with scales of rows");
}

/// The packed copy of the weights serves both.
TEST(W4Space, CallsThatQuantiseHaveTheKernelsOfTheProduct) {
  const auto family = make_w4_family(W4Activations::e4m3);
  const auto keys = [&](const std::string& text) {
    const auto problem = parse_problem(text);
    std::vector<std::string> found;
    for (const auto& source : family->kernels(problem, family->candidates(problem, h100).front(), h100))
      found.push_back(cache_key(source, "NVRTC"));
    return found;
  };
  auto of_call = keys(a16w4_fp8_text("64x8192x8192"));
  ASSERT_FALSE(of_call.empty());
  of_call.pop_back();
  EXPECT_EQ(of_call, keys(a8w4_text("64x8192x8192")));
}

TEST(W4Space, KernelsThatCannotBeAreRefused) {
  const auto why_no = [](const W4Tile& tile) { return why_no_w4(a16w4("64x8192x8192"), tile); };
  EXPECT_EQ(why_no({}), "");
  EXPECT_EQ(why_no({.tokens = 12}), "tiles take 8, 16, … 256 rows of A");
  EXPECT_EQ(why_no({.tokens = 264}), "tiles take 8, 16, … 256 rows of A");
  EXPECT_NE(why_no({.row_groups = 4, .subtiles = 2}), "");
  EXPECT_NE(why_no({.row_groups = 2, .k_groups = 4}), "");
  EXPECT_NE(why_no({.k_blocks = 8, .sharers = 2}), "");
  EXPECT_EQ(why_no({.tokens = 8, .sharers = 2}), "blocks share A's rows in groups of 8");
  EXPECT_EQ(why_no({.stages = 1}), "each of the warpgroups along K needs two stages");
  EXPECT_EQ(why_no({.row_groups = 1, .k_groups = 4, .stages = 4}), "each of the warpgroups along K needs two stages");
  EXPECT_EQ(why_no({.row_groups = 1, .k_groups = 4, .stages = 6}), "warpgroups along K have equally many stages");
  EXPECT_EQ(why_no({.tokens = 256, .subtiles = 2, .stages = 2}), "sums do not fit into registers");
  EXPECT_EQ(why_no({.tokens = 256, .stages = 4}), "needs 297040 bytes of shared memory, and a block has 232448");
  const auto why_no_fp8 = [](const W4Tile& tile) { return why_no_w4(a8w4("64x8192x8192"), tile); };
  EXPECT_EQ(why_no_fp8({.tokens = 256, .stages = 5}), "");
  EXPECT_EQ(why_no_fp8({.tokens = 136}), "more than 128 rows of A are multiplied in two equal parts");
  EXPECT_EQ(why_no_fp8({.tokens = 256, .subtiles = 2, .stages = 2}), "sums do not fit into registers");
}

/// A kernel takes its sizes from arguments, so that one compilation serves all of them. Rows of C whose number of
/// elements is odd are written another way.
TEST(W4Space, SourcesDoNotDependOnSizes) {
  const auto key = [](const Problem& problem) { return cache_key(w4_source(problem, {}), "NVRTC"); };
  EXPECT_EQ(key(a16w4("64x2112x7168")), key(a16w4("33x576x128")));
  EXPECT_EQ(key(a16w4("64x2111x7168")), key(a16w4("33x575x128")));
  EXPECT_NE(key(a16w4("64x2112x7168")), key(a16w4("64x2111x7168")));
  EXPECT_NE(key(a16w4("64x2112x7168")), key(a16w4("64x2112x7168", "fp16")));
  EXPECT_NE(key(a16w4("64x2112x7168")), key(a16w4_nvfp4("64x2112x7168")));
  EXPECT_NE(key(a16w4("64x2112x7168")), key(a8w4("64x2112x7168")));
  const auto many = [](const Problem& problem) { return cache_key(w4_source(problem, {.tokens = 128}), "NVRTC"); };
  EXPECT_EQ(many(a8w4("640x2112x7168")), many(a8w4("330x576x128")));
  EXPECT_NE(many(a8w4("640x2112x7168")), many(a8w4("640x2110x7168"))) << "lines of C are aligned";
}

}  // namespace
}  // namespace gemmtune
