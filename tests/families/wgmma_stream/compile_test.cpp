// Kernels of all kinds compile, with or without a GPU. Each takes the compiler a third of a second, so these are few:
// every type, scaling and output, and every way in which tiles differ for the compiler.
#include <gtest/gtest.h>

#include <string>

#include "gemmtune/device/gpu/kernel_compiler.h"
#include "gemmtune/families/wgmma_stream/wgmma_stream_gemm.h"
#include "tests/support/expect_compiles.h"

namespace gemmtune {
namespace {

class WgmmaStreamCompiles : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = KernelCompiler::open(KernelCache(testing::TempDir() + "gemmtune_wgmma_stream"), DeviceKind::cuda);
    if (!compiler_) GTEST_SKIP() << KernelCompiler::why_not(DeviceKind::cuda);
  }

  void expect_compiles(const std::string& types, const StreamTile& tile) const {
    const auto problem = parse_problem("8x2112x7168" + types);
    ASSERT_EQ(why_no_wgmma_stream(problem, tile), "");
    for (const auto& source : wgmma_stream_sources(problem, tile)) gemmtune::expect_compiles(*compiler_, source);
  }

  std::unique_ptr<KernelCompiler> compiler_;
};

TEST_F(WgmmaStreamCompiles, TypesScalesAndOutputs) {
  const StreamTile small{.tokens = 16, .k_blocks = 4, .w_stages = 4};
  for (const auto* types :
       {":e4m3:e4m3:f32", ":e4m3/row:e4m3/row:bf16:bias", ":e4m3/tensor:e4m3/row:fp16:packed",
        ":e4m3/row:e4m3/tensor:bf16", ":bf16:bf16:bf16:packed", ":bf16:bf16:f32:bias", ":fp16:fp16:fp16"})
    expect_compiles(types, small);
}

TEST_F(WgmmaStreamCompiles, Tiles) {
  for (const auto* types : {":e4m3/row:e4m3/row:bf16", ":bf16:bf16:bf16"}) {
    expect_compiles(types, {.tokens = 8, .row_groups = 4, .w_stages = 4, .ahead = 1});
    expect_compiles(types, {.tokens = 24, .k_groups = 4, .k_blocks = 2, .a_stages = 8});
    expect_compiles(types, {.tokens = 64, .row_groups = 2, .k_groups = 2, .sharers = 2, .w_stages = 4});
    expect_compiles(types,
                    {.tokens = 128, .row_groups = 2, .subtiles = 2, .k_blocks = 2, .w_stages = 3, .a_stages = 3});
  }
}

}  // namespace
}  // namespace gemmtune
