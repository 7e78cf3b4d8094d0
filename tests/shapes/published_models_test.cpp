// The layers of published models, written out by hand, against what their configs give.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/shapes/model_shapes.h"

namespace gemmtune {
namespace {

const std::filesystem::path models = std::filesystem::path(GEMMTUNE_TEST_DATA) / "models";

using Lines = std::vector<std::string>;

/// Lines of "problem x weight layer", for M = 64.
Lines shapes_of(const std::string& name, ModelRequest request) {
  const auto json = read_model_json(models / (name + ".json"));
  const auto model = parse_model_config(json, name);
  request.m = {64};
  Lines lines;
  for (const auto& shape : model_shapes(model, model_format(json, model, ""), request).shapes)
    lines.push_back(fmt::format("{} x {} {}", to_string(shape.problem), shape.weight, shape.layer));
  return lines;
}

TEST(PublishedModels, Llama31_8B) {
  EXPECT_EQ(
      shapes_of("llama_3_1_8b", {}),
      (Lines{"64x6144x4096:bf16:bf16:bf16 x 32 qkv_proj[tp1]", "64x4096x4096:bf16:bf16:bf16 x 32 o_proj[tp1]",
             "64x28672x4096:bf16:bf16:bf16 x 32 gate_up_proj[tp1]", "64x4096x14336:bf16:bf16:bf16 x 32 down_proj[tp1]",
             "64x128256x4096:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  EXPECT_EQ(
      shapes_of("llama_3_1_8b", {.tensor_parallel = {8}}),
      (Lines{"64x768x4096:bf16:bf16:bf16 x 32 qkv_proj[tp8]", "64x4096x512:bf16:bf16:bf16 x 32 o_proj[tp8]",
             "64x3584x4096:bf16:bf16:bf16 x 32 gate_up_proj[tp8]", "64x4096x1792:bf16:bf16:bf16 x 32 down_proj[tp8]",
             "64x16032x4096:bf16:bf16:bf16 x 1 lm_head[tp8]"}));
}

TEST(PublishedModels, Llama31_8BUnfused) {
  EXPECT_EQ(
      shapes_of("llama_3_1_8b", {.projections = {Projections::unfused}}),
      (Lines{"64x4096x4096:bf16:bf16:bf16 x 64 q_proj[tp1]+o_proj[tp1]",
             "64x1024x4096:bf16:bf16:bf16 x 64 k_proj[tp1]+v_proj[tp1]",
             "64x14336x4096:bf16:bf16:bf16 x 64 gate_proj[tp1]+up_proj[tp1]",
             "64x4096x14336:bf16:bf16:bf16 x 32 down_proj[tp1]", "64x128256x4096:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
}

TEST(PublishedModels, Llama31_70B) {
  EXPECT_EQ(
      shapes_of("llama_3_1_70b", {}),
      (Lines{"64x10240x8192:bf16:bf16:bf16 x 80 qkv_proj[tp1]", "64x8192x8192:bf16:bf16:bf16 x 80 o_proj[tp1]",
             "64x57344x8192:bf16:bf16:bf16 x 80 gate_up_proj[tp1]", "64x8192x28672:bf16:bf16:bf16 x 80 down_proj[tp1]",
             "64x128256x8192:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  EXPECT_EQ(
      shapes_of("llama_3_1_70b", {.tensor_parallel = {8}}),
      (Lines{"64x1280x8192:bf16:bf16:bf16 x 80 qkv_proj[tp8]", "64x8192x1024:bf16:bf16:bf16 x 80 o_proj[tp8]",
             "64x7168x8192:bf16:bf16:bf16 x 80 gate_up_proj[tp8]", "64x8192x3584:bf16:bf16:bf16 x 80 down_proj[tp8]",
             "64x16032x8192:bf16:bf16:bf16 x 1 lm_head[tp8]"}));
}

TEST(PublishedModels, Llama31_405B) {
  EXPECT_EQ(
      shapes_of("llama_3_1_405b", {}),
      (Lines{"64x18432x16384:bf16:bf16:bf16 x 126 qkv_proj[tp1]", "64x16384x16384:bf16:bf16:bf16 x 126 o_proj[tp1]",
             "64x106496x16384:bf16:bf16:bf16 x 126 gate_up_proj[tp1]",
             "64x16384x53248:bf16:bf16:bf16 x 126 down_proj[tp1]", "64x128256x16384:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  EXPECT_EQ(
      shapes_of("llama_3_1_405b", {.tensor_parallel = {8}}),
      (Lines{"64x2304x16384:bf16:bf16:bf16 x 126 qkv_proj[tp8]", "64x16384x2048:bf16:bf16:bf16 x 126 o_proj[tp8]",
             "64x13312x16384:bf16:bf16:bf16 x 126 gate_up_proj[tp8]",
             "64x16384x6656:bf16:bf16:bf16 x 126 down_proj[tp8]", "64x16032x16384:bf16:bf16:bf16 x 1 lm_head[tp8]"}));
}

/// 64 heads of 128 are more than the hidden size of 5120.
TEST(PublishedModels, Qwen3_32B) {
  EXPECT_EQ(
      shapes_of("qwen3_32b", {}),
      (Lines{"64x10240x5120:bf16:bf16:bf16 x 64 qkv_proj[tp1]", "64x5120x8192:bf16:bf16:bf16 x 64 o_proj[tp1]",
             "64x51200x5120:bf16:bf16:bf16 x 64 gate_up_proj[tp1]", "64x5120x25600:bf16:bf16:bf16 x 64 down_proj[tp1]",
             "64x151936x5120:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  EXPECT_EQ(
      shapes_of("qwen3_32b", {.tensor_parallel = {8}}),
      (Lines{"64x1280x5120:bf16:bf16:bf16 x 64 qkv_proj[tp8]", "64x5120x1024:bf16:bf16:bf16 x 64 o_proj[tp8]",
             "64x6400x5120:bf16:bf16:bf16 x 64 gate_up_proj[tp8]", "64x5120x3200:bf16:bf16:bf16 x 64 down_proj[tp8]",
             "64x18992x5120:bf16:bf16:bf16 x 1 lm_head[tp8]"}));
}

/// 64 tokens × 8 of 128 experts: 4 rows for each expert. Four KV heads on eight ranks: one for each rank.
TEST(PublishedModels, Qwen3_235B_A22B) {
  EXPECT_EQ(shapes_of("qwen3_235b_a22b", {}),
            (Lines{"64x9216x4096:bf16:bf16:bf16 x 94 qkv_proj[tp1]", "64x4096x8192:bf16:bf16:bf16 x 94 o_proj[tp1]",
                   "64x128x4096:bf16:bf16:bf16 x 94 router[tp1]",
                   "4x3072x4096:bf16:bf16:bf16 x 12032 experts.gate_up_proj[tp1]",
                   "4x4096x1536:bf16:bf16:bf16 x 12032 experts.down_proj[tp1]",
                   "64x151936x4096:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  EXPECT_EQ(shapes_of("qwen3_235b_a22b", {.tensor_parallel = {8}}),
            (Lines{"64x1280x4096:bf16:bf16:bf16 x 94 qkv_proj[tp8]", "64x4096x1024:bf16:bf16:bf16 x 94 o_proj[tp8]",
                   "64x128x4096:bf16:bf16:bf16 x 94 router[tp8]",
                   "4x384x4096:bf16:bf16:bf16 x 12032 experts.gate_up_proj[tp8]",
                   "4x4096x192:bf16:bf16:bf16 x 12032 experts.down_proj[tp8]",
                   "64x18992x4096:bf16:bf16:bf16 x 1 lm_head[tp8]"}));
}

TEST(PublishedModels, Mixtral8x7B) {
  EXPECT_EQ(shapes_of("mixtral_8x7b", {}),
            (Lines{"64x6144x4096:bf16:bf16:bf16 x 32 qkv_proj[tp1]", "64x4096x4096:bf16:bf16:bf16 x 32 o_proj[tp1]",
                   "64x8x4096:bf16:bf16:bf16 x 32 router[tp1]",
                   "16x28672x4096:bf16:bf16:bf16 x 256 experts.gate_up_proj[tp1]",
                   "16x4096x14336:bf16:bf16:bf16 x 256 experts.down_proj[tp1]",
                   "64x32000x4096:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  EXPECT_EQ(
      shapes_of("mixtral_8x7b", {.tensor_parallel = {8}}),
      (Lines{"64x768x4096:bf16:bf16:bf16 x 32 qkv_proj[tp8]", "64x4096x512:bf16:bf16:bf16 x 32 o_proj[tp8]",
             "64x8x4096:bf16:bf16:bf16 x 32 router[tp8]", "16x3584x4096:bf16:bf16:bf16 x 256 experts.gate_up_proj[tp8]",
             "16x4096x1792:bf16:bf16:bf16 x 256 experts.down_proj[tp8]",
             "64x4000x4096:bf16:bf16:bf16 x 1 lm_head[tp8]"}));
}

constexpr const char* fp8 = ":e4m3/1x128:e4m3/128x128:bf16";
constexpr const char* bf16 = ":bf16:bf16:bf16";

/// Three dense layers and 58 with experts. 64 tokens × 8 of 256 experts: 2 rows for each expert.
TEST(PublishedModels, DeepSeekV3) {
  const auto line = [](const char* sizes, const char* types, const char* rest) {
    return fmt::format("{}{} x {}", sizes, types, rest);
  };
  EXPECT_EQ(
      shapes_of("deepseek_v3", {}),
      (Lines{line("64x2112x7168", fp8, "61 fused_qkv_a_proj[tp1]"), line("64x24576x1536", fp8, "61 q_b_proj[tp1]"),
             line("64x32768x512", fp8, "61 kv_b_proj[tp1]"), line("64x7168x16384", fp8, "61 o_proj[tp1]"),
             line("64x512x128", ":bf16:bf16:bf16:batch=128", "61 absorbed_q[tp1]"),
             "64x128x512:bf16:bf16:bf16:batch=128 x 61 absorbed_v[tp1]",
             line("64x36864x7168", fp8, "3 gate_up_proj[tp1]"), line("64x7168x18432", fp8, "3 down_proj[tp1]"),
             line("64x256x7168", bf16, "58 router[tp1]"), line("2x4096x7168", fp8, "14848 experts.gate_up_proj[tp1]"),
             line("2x7168x2048", fp8, "14848 experts.down_proj[tp1]"),
             line("64x4096x7168", fp8, "58 shared_experts.gate_up_proj[tp1]"),
             line("64x7168x2048", fp8, "58 shared_experts.down_proj[tp1]"),
             line("64x129280x7168", bf16, "1 lm_head[tp1]")}));
  EXPECT_EQ(
      shapes_of("deepseek_v3", {.tensor_parallel = {8}, .latent_forms = {LatentForm::unpacked}}),
      (Lines{line("64x2112x7168", fp8, "61 fused_qkv_a_proj[tp8]"), line("64x3072x1536", fp8, "61 q_b_proj[tp8]"),
             line("64x4096x512", fp8, "61 kv_b_proj[tp8]"), line("64x7168x2048", fp8, "61 o_proj[tp8]"),
             line("64x4608x7168", fp8, "3 gate_up_proj[tp8]"), line("64x7168x2304", fp8, "3 down_proj[tp8]"),
             line("64x256x7168", bf16, "58 router[tp8]"), line("2x512x7168", fp8, "14848 experts.gate_up_proj[tp8]"),
             line("2x7168x256", fp8, "14848 experts.down_proj[tp8]"),
             line("64x512x7168", fp8, "58 shared_experts.gate_up_proj[tp8]"),
             line("64x7168x256", fp8, "58 shared_experts.down_proj[tp8]"),
             line("64x16160x7168", bf16, "1 lm_head[tp8]")}));
}

/// Experts are not cut: each of eight ranks has 32 of the 256.
TEST(PublishedModels, DeepSeekV3ExpertParallel) {
  const auto lines = shapes_of("deepseek_v3", {.tensor_parallel = {8}, .expert_parallel = 8});
  EXPECT_NE(std::ranges::find(lines, fmt::format("2x4096x7168{} x 1856 experts.gate_up_proj[tp8,ep8]", fp8)),
            lines.end());
  EXPECT_NE(std::ranges::find(lines, fmt::format("2x7168x2048{} x 1856 experts.down_proj[tp8,ep8]", fp8)), lines.end());
  EXPECT_NE(std::ranges::find(lines, "64x512x128:bf16:bf16:bf16:batch=16 x 61 absorbed_q[tp8,ep8]"), lines.end());
}

/// Only the experts are in MXFP4. 64 tokens × 4 of 128 experts: 2 rows for each expert.
TEST(PublishedModels, GptOss120B) {
  EXPECT_EQ(
      shapes_of("gpt_oss_120b", {}),
      (Lines{"64x5120x2880:bf16:bf16:bf16:bias x 36 qkv_proj[tp1]", "64x2880x4096:bf16:bf16:bf16:bias x 36 o_proj[tp1]",
             "64x128x2880:bf16:bf16:bf16:bias x 36 router[tp1]",
             "2x5760x2880:e2m1/1x32:e2m1/1x32:bf16:bias:packed x 4608 experts.gate_up_proj[tp1]",
             "2x2880x2880:e2m1/1x32:e2m1/1x32:bf16:bias:packed x 4608 experts.down_proj[tp1]",
             "64x201088x2880:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  EXPECT_EQ(
      shapes_of("gpt_oss_120b", {.tensor_parallel = {8}}),
      (Lines{"64x640x2880:bf16:bf16:bf16:bias x 36 qkv_proj[tp8]", "64x2880x512:bf16:bf16:bf16:bias x 36 o_proj[tp8]",
             "64x128x2880:bf16:bf16:bf16:bias x 36 router[tp8]",
             "2x720x2880:e2m1/1x32:e2m1/1x32:bf16:bias:packed x 4608 experts.gate_up_proj[tp8]",
             "2x2880x360:e2m1/1x32:e2m1/1x32:bf16:bias:packed x 4608 experts.down_proj[tp8]",
             "64x25136x2880:bf16:bf16:bf16 x 1 lm_head[tp8]"}));
}

/// Three of four layers have a gated delta net. Queries of the others come with gates: (2·16 + 2·2)·256.
TEST(PublishedModels, Qwen3Next80B) {
  EXPECT_EQ(
      shapes_of("qwen3_next_80b", {}),
      (Lines{"64x12288x2048:bf16:bf16:bf16 x 36 linear_attn.in_proj_qkvz[tp1]",
             "64x64x2048:bf16:bf16:bf16 x 36 linear_attn.in_proj_ba[tp1]",
             "64x2048x4096:bf16:bf16:bf16 x 48 linear_attn.out_proj[tp1]+o_proj[tp1]",
             "64x512x2048:bf16:bf16:bf16 x 48 router[tp1]",
             "2x1024x2048:bf16:bf16:bf16 x 24576 experts.gate_up_proj[tp1]",
             "2x2048x512:bf16:bf16:bf16 x 24576 experts.down_proj[tp1]",
             "64x1024x2048:bf16:bf16:bf16 x 48 shared_experts.gate_up_proj[tp1]",
             "64x2048x512:bf16:bf16:bf16 x 48 shared_experts.down_proj[tp1]",
             "64x1x2048:bf16:bf16:bf16 x 48 shared_expert_gate[tp1]", "64x9216x2048:bf16:bf16:bf16 x 12 qkv_proj[tp1]",
             "64x151936x2048:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
  const auto lines = shapes_of("qwen3_next_80b", {.tensor_parallel = {4}});
  for (const auto* line :
       {"64x3072x2048:bf16:bf16:bf16 x 36 linear_attn.in_proj_qkvz[tp4]",
        "64x16x2048:bf16:bf16:bf16 x 36 linear_attn.in_proj_ba[tp4]", "64x2560x2048:bf16:bf16:bf16 x 12 qkv_proj[tp4]"})
    EXPECT_NE(std::ranges::find(lines, line), lines.end()) << line;
}

/// Every second layer has experts, and beside them one that all tokens use. The other layers are twice as wide.
TEST(PublishedModels, Llama4Maverick) {
  EXPECT_EQ(shapes_of("llama4_maverick", {}),
            (Lines{"64x7168x5120:bf16:bf16:bf16 x 48 qkv_proj[tp1]", "64x5120x5120:bf16:bf16:bf16 x 48 o_proj[tp1]",
                   "64x32768x5120:bf16:bf16:bf16 x 24 gate_up_proj[tp1]",
                   "64x5120x16384:bf16:bf16:bf16 x 24 down_proj[tp1]", "64x128x5120:bf16:bf16:bf16 x 24 router[tp1]",
                   "1x16384x5120:bf16:bf16:bf16 x 1536 experts.gate_up_proj[tp1]",
                   "1x5120x8192:bf16:bf16:bf16 x 1536 experts.down_proj[tp1]",
                   "64x16384x5120:bf16:bf16:bf16 x 24 shared_experts.gate_up_proj[tp1]",
                   "64x5120x8192:bf16:bf16:bf16 x 24 shared_experts.down_proj[tp1]",
                   "64x202048x5120:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
}

/// M-M-M*-M: four Mamba mixers of 2·8192 + 2·8·128 + 128, three MLPs without gates, one attention.
TEST(PublishedModels, NemotronH) {
  EXPECT_EQ(
      shapes_of("nemotron_h_small", {}),
      (Lines{"64x18560x4096:bf16:bf16:bf16 x 4 mamba.in_proj[tp1]",
             "64x4096x8192:bf16:bf16:bf16 x 4 mamba.out_proj[tp1]", "64x21504x4096:bf16:bf16:bf16 x 3 up_proj[tp1]",
             "64x4096x21504:bf16:bf16:bf16 x 3 down_proj[tp1]", "64x6144x4096:bf16:bf16:bf16 x 1 qkv_proj[tp1]",
             "64x4096x4096:bf16:bf16:bf16 x 1 o_proj[tp1]", "64x131072x4096:bf16:bf16:bf16 x 1 lm_head[tp1]"}));
}

/// The experts of a layer as one product: 128 of them with 4 rows each.
TEST(PublishedModels, ExpertsAsGroupedProducts) {
  const auto lines = shapes_of("qwen3_235b_a22b", {.expert_calls = {ExpertCalls::each, ExpertCalls::grouped}});
  for (const auto* line : {"4x3072x4096:bf16:bf16:bf16 x 12032 experts.gate_up_proj[tp1]",
                           "4x3072x4096:bf16:bf16:bf16:batch=128 x 94 grouped_experts.gate_up_proj[tp1]",
                           "4x4096x1536:bf16:bf16:bf16:batch=128 x 94 grouped_experts.down_proj[tp1]"})
    EXPECT_NE(std::ranges::find(lines, line), lines.end()) << line;
}

}  // namespace
}  // namespace gemmtune
