#include "gemmtune/dispatch/fallback.h"

#include <gtest/gtest.h>

#include "gemmtune/gemm/format.h"

namespace gemmtune {
namespace {

/// The fallback's libtype and kernel id, such as "asm 0", or "none".
std::string fallback(const char* problem, const char* gfx, std::int64_t cu_num = 256) {
  const auto* choice = fallback_for(parse_problem(problem), device_key(gfx, cu_num));
  return choice == nullptr ? "none" : std::string(choice->libtype) + ' ' + std::to_string(choice->kernel_id);
}

TEST(Fallback, ShuffledSixteenBitWeights) {
  EXPECT_EQ(fallback("64x512x512:a16w16:packed", "gfx942"), "hipblaslt -1");
  EXPECT_EQ(fallback("64x512x512:a16w16:packed", "gfx950"), "asm 0");
  EXPECT_EQ(fallback("64x512x512:a16w16:packed:out=f32", "gfx950"), "asm 0");
  EXPECT_EQ(fallback("64x512x512:a16w16:packed:out=f16", "gfx950"), "none");
  EXPECT_EQ(fallback("64x512x512:f16:f16:bf16:packed", "gfx950"), "none");
  EXPECT_EQ(fallback("64x576x512:a16w16:packed", "gfx950"), "asm 0");
  EXPECT_EQ(fallback("64x544x512:a16w16:packed", "gfx950"), "none");
  EXPECT_EQ(fallback("64x512x544:a16w16:packed", "gfx950"), "none");
}

TEST(Fallback, SkinnyKernels) {
  EXPECT_EQ(fallback("1x512x9216:a16w16", "gfx950"), "skinny 2");
  EXPECT_EQ(fallback("1x512x9216:f16:f16:f16", "gfx90a"), "skinny 2");
  EXPECT_EQ(fallback("1x512x9216:a16w16", "gfx1100"), "torch 0");  // an architecture without skinny kernels
  EXPECT_EQ(fallback("1x512x9216:f32:f32:f32", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("1x513x9216:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("1x512x9224:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("1x512x9212:a16w16", "gfx950"), "torch 0");  // K is no multiple of 8
  EXPECT_EQ(fallback("2x256x9216:a16w16", "gfx950"), "skinny 2");
  EXPECT_EQ(fallback("2x257x9216:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("4x256x9216:a16w16", "gfx950"), "skinny 2");
  EXPECT_EQ(fallback("5x256x5128:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("5x256x5120:a16w16", "gfx950"), "skinny 2");
  EXPECT_EQ(fallback("8x256x5120:a16w16", "gfx950"), "skinny 2");
  EXPECT_EQ(fallback("8x257x5120:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("9x256x264:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("9x256x256:a16w16", "gfx950"), "skinny 2");
  EXPECT_EQ(fallback("16x256x256:a16w16", "gfx950"), "skinny 2");
  EXPECT_EQ(fallback("16x257x256:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("17x256x256:a16w16", "gfx950"), "torch 0");
  EXPECT_EQ(fallback("1x160x64:a16w16", "gfx942", 80), "skinny 2");
  EXPECT_EQ(fallback("1x168x64:a16w16", "gfx942", 80), "torch 0");
}

TEST(Fallback, OtherSixteenBitInputs) {
  EXPECT_EQ(fallback("64x512x512:a16w16", "gfx1250"), "triton -1");
  EXPECT_EQ(fallback("64x512x512:f32:f32:f32", "gfx1250"), "torch 0");
  EXPECT_EQ(fallback("64x512x512:a16w16", "gfx942"), "torch 0");
  EXPECT_EQ(fallback("64x512x512:a16w16:batch=2", "gfx942"), "ck -1");
}

TEST(Fallback, FourAndEightBits) {
  EXPECT_EQ(fallback("64x512x512:a4w4", "gfx950"), "asm -1");
  EXPECT_EQ(fallback("64x512x512:a4w4", "gfx942"), "none");
  EXPECT_EQ(fallback("64x512x100:a8w8", "gfx942"), "ck -1");
  EXPECT_EQ(fallback("64x512x100:a8w8_blockscale", "gfx942"), "ck -1");
  EXPECT_EQ(fallback("64x512x100:a8w8", "gfx908"), "ck -1");
  EXPECT_EQ(fallback("64x512x100:a8w8", "gfx1201"), "triton -1");
  EXPECT_EQ(fallback("64x512x100:a8w8", "gfx1250"), "triton -1");
  EXPECT_EQ(fallback("64x512x100:a8w8_blockscale", "gfx1250"), "ck -1");
  EXPECT_EQ(fallback("64x512x100:a8w8_blockscale:packed", "gfx1250"), "triton -1");
  EXPECT_EQ(fallback("64x512x100:a8w8_blockscale", "gfx1201"), "triton -1");
  EXPECT_EQ(fallback("64x512x100:a8w8_blockscale:batch=2", "gfx950"), "opus -1");
  EXPECT_EQ(fallback("64x512x513:a8w8_bpreshuffle", "gfx942"), "ck -1");
  EXPECT_EQ(fallback("64x512x511:a8w8_bpreshuffle", "gfx942"), "none");
  EXPECT_EQ(fallback("64x512x192:a8w8_bpreshuffle", "gfx942"), "ck -1");
  EXPECT_EQ(fallback("64x512x200:a8w8_bpreshuffle", "gfx942"), "none");
  EXPECT_EQ(fallback("64x512x128:a8w8_bpreshuffle", "gfx942"), "none");
  EXPECT_EQ(fallback("64x512x512:bf16:int8/row:bf16", "gfx942"), "none");
  EXPECT_EQ(fallback("64x512x512:int8:int8:bf16", "gfx942"), "none");
}

TEST(Fallback, OtherDevices) {
  EXPECT_EQ(fallback("64x512x512:a16w16", "sm90", 132), "cublaslt -1");
  EXPECT_EQ(fallback("64x512x512:a16w16:packed", "x86-64-avx2", 16), "onednn -1");
  EXPECT_EQ(fallback("64x512x512:a4w4", "sm90", 132), "none");
  EXPECT_EQ(fallback("64x512x512:a4w4", "x86-64-avx2", 16), "none");
}

TEST(Fallback, SaysItsRule) {
  const auto* choice = fallback_for(parse_problem("1x64x64:a16w16"), device_key("gfx950", 256));
  ASSERT_NE(choice, nullptr);
  EXPECT_EQ(choice->source, "rule: few tokens and channels");
  EXPECT_EQ(choice->time_us, 0);
  EXPECT_EQ(choice->kernel_name, "");
}

}  // namespace
}  // namespace gemmtune
