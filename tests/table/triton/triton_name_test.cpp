#include "gemmtune/table/triton/triton_name.h"

#include <gtest/gtest.h>

namespace gemmtune {
namespace {

TEST(TritonName, TakesNamesApart) {
  const auto name = parse_triton_name("gfx1250-BATCHED_GEMM-A16W16-B=4-N=1024-K=4096.json");
  ASSERT_TRUE(name);
  const TritonName expected{
      .device = "gfx1250", .kernel = "BATCHED_GEMM", .tag = "A16W16", .sizes = {{"B", 4}, {"N", 1024}, {"K", 4096}}};
  EXPECT_EQ(*name, expected);
  EXPECT_EQ(name->size("K"), 4096);
  EXPECT_FALSE(name->size("N4"));
  EXPECT_EQ(triton_file_name(without_sizes(*name)), "gfx1250-BATCHED_GEMM-A16W16.json");
}

TEST(TritonName, TagsAndKernelsMayHaveDashes) {
  const auto fused = parse_triton_name("gfx950-FUSED-GEMM-AFP4WFP4-MUL_ADD-N4=512-N16=256-K=7168.json");
  ASSERT_TRUE(fused);
  EXPECT_EQ(fused->kernel, "FUSED-GEMM");
  EXPECT_EQ(fused->tag, "AFP4WFP4-MUL_ADD");
  EXPECT_EQ(fused->size("N16"), 256);
  EXPECT_EQ(parse_triton_name("gfx950-GEMM-A16W16-gated")->tag, "A16W16-gated");
}

TEST(TritonName, FoldersSayWhatTheNameLacks) {
  const auto file = parse_triton_path("x/gfx950/triton/gemm/gemm_afp4wfp4_preshuffled/DEFAULT.json");
  ASSERT_TRUE(file);
  EXPECT_EQ(triton_file_name(*file), "gfx950-GEMM-AFP4WFP4_PRESHUFFLED.json");
  const auto sized = parse_triton_path("gfx1250/gluon/gemm/gemm_afp4wfp4/GEMM-AFP4WFP4-N=512-K=7168.json");
  ASSERT_TRUE(sized);
  EXPECT_EQ(triton_file_name(*sized), "gfx1250-GEMM-AFP4WFP4-N=512-K=7168.json");
  EXPECT_EQ(sized->backend, "gluon");
  EXPECT_EQ(parse_triton_path("gfx950/triton/gemm/batched_gemm_a8w8/DEFAULT.json")->kernel, "BATCHED_GEMM");
  EXPECT_EQ(parse_triton_path("configs/gemm/gluon/gfx950-GEMM-A8W8.json")->backend, "gluon");
  EXPECT_EQ(parse_triton_path("configs/gemm/gfx950-GEMM-A8W8.json")->backend, "");
  for (const auto* other : {"DEFAULT.json", "gfx950/triton/attention/chunk_delta_attn/DEFAULT.json",
                            "moe/gfx942-MOE-DEFAULT.json", "gfx950/triton/gemm/DEFAULT.json"})
    EXPECT_FALSE(parse_triton_path(other)) << other;
}

TEST(TritonName, AFamilyHasOneSpelling) {
  const auto by_folder = parse_triton_path("gfx950/triton/gemm/gemm_a16w16_gated/DEFAULT.json");
  const auto by_name = parse_triton_name("gfx950-GEMM-A16W16-gated.json");
  EXPECT_EQ(triton_family(by_folder.value()), triton_family(by_name.value()));
  EXPECT_EQ(triton_family(parse_triton_name("gfx950-FF-A16W16-fused.json").value()), "ff_a16w16_fused");
}

TEST(TritonName, NamesComeBack) {
  for (const auto* text : {"gfx950-GEMM-A8W8.json", "gfx942-GEMM_PREQUANT-AFP4WFP4-N=1-K=2.json",
                           "gfx950-FUSED-GEMM-A8W8_BLOCKSCALE-A16W16-N8=512-N16=256-K=7168.json", "sm90-GEMM-x.json"})
    EXPECT_EQ(triton_file_name(parse_triton_name(text).value()), text);
}

TEST(TritonName, RefusesWhatWouldNotComeBack) {
  for (const auto* text : {"", "readme.json", "gfx950-GEMM.json", "-GEMM-A8W8.json", "gfx950-MOE-A8W8.json",
                           "gfx950-GEMM-A8W8-N=512-gated.json"})
    EXPECT_FALSE(parse_triton_name(text)) << text;
  EXPECT_EQ(parse_triton_name("gfx950-GEMM-A8W8-N=0x2.json")->tag, "A8W8-N=0x2");
}

}  // namespace
}  // namespace gemmtune
