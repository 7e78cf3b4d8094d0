#include "gemmtune/exchange/gguf_shapes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "gemmtune/core/error.h"
#include "gemmtune/exchange/gguf_types.h"
#include "tests/support/gguf_writer.h"

namespace gemmtune {
namespace {

using testing::GgufWriter;

GgufModel model_of(const GgufWriter& writer) {
  const auto bytes = writer.bytes();
  std::istringstream stream(bytes);
  GgufModel model;
  model.files.push_back(read_gguf(stream, bytes.size(), "m.gguf"));
  return model;
}

constexpr std::uint32_t q4_k = 12;

/// Two layers of 256 with 8 heads of 32, 4 KV heads, 4 experts of 96 of which a token gets 2, and 1000 tokens.
GgufWriter with_experts(std::uint32_t experts_type = gguf::mxfp4) {
  GgufWriter writer;
  writer.word("general.architecture", "gpt-oss").u32("gpt-oss.block_count", 2).u32("gpt-oss.expert_used_count", 2);
  writer.u32("gpt-oss.attention.head_count", 8).u32("gpt-oss.attention.head_count_kv", 4);
  writer.tensor("token_embd.weight", gguf::q8_0, {256, 1000}).tensor("output.weight", gguf::q8_0, {256, 1000});
  for (int layer = 0; layer < 2; ++layer) {
    const auto add = [&](const char* stem, std::uint32_t type, const std::vector<std::uint64_t>& shape) {
      writer.tensor(fmt::format("blk.{}.{}", layer, stem), type, shape);
    };
    add("attn_norm.weight", gguf::f32, {256});
    add("attn_q.weight", gguf::q8_0, {256, 256});
    add("attn_q.bias", gguf::f32, {256});
    add("attn_k.weight", gguf::q8_0, {256, 128});
    add("attn_output.weight", gguf::q8_0, {256, 256});
    add("ffn_gate_inp.weight", gguf::f32, {256, 4});
    add("ffn_gate_exps.weight", experts_type, {256, 96, 4});
    add("ffn_gate_exps.bias", gguf::f32, {96, 4});
    add("ffn_down_exps.weight", experts_type, {experts_type == q4_k ? 256U : 96U, 256, 4});
  }
  return writer;
}

/// "problem x weight" of each shape, by layer.
std::map<std::string, std::string> listed(const ModelShapes& made) {
  std::map<std::string, std::string> by_layer;
  for (const auto& shape : made.shapes)
    by_layer[shape.layer] = fmt::format("{} x {}", to_string(shape.problem), shape.weight);
  return by_layer;
}

std::string complaint(const GgufWriter& writer, const ModelRequest& request, std::string_view format = "") {
  try {
    (void)gguf_shapes(model_of(writer), format, request);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(GgufShapes, TensorsAreProductsInTheirFormats) {
  const auto made =
      gguf_shapes(model_of(with_experts()), "", {.m = {8}, .expert_calls = {ExpertCalls::each, ExpertCalls::grouped}});
  const std::map<std::string, std::string> expected{
      {"attn_q[tp1]", "8x256x256:f32/q8:int8/1x32f16:f32:bias:packed x 2"},
      {"attn_k[tp1]", "8x128x256:f32/q8:int8/1x32f16:f32:packed x 2"},
      {"attn_output[tp1]", "8x256x256:f32/q8:int8/1x32f16:f32:packed x 2"},
      {"ffn_gate_inp[tp1]", "8x4x256:f32:f32:f32 x 2"},
      {"ffn_gate_exps[tp1]", "4x96x256:f32/q8:e2m1/1x32:f32:bias:packed x 8"},
      {"grouped_ffn_gate_exps[tp1]", "4x96x256:f32/q8:e2m1/1x32:f32:batch=4:bias:packed x 2"},
      {"ffn_down_exps[tp1]", "4x256x96:f32/q8:e2m1/1x32:f32:packed x 8"},
      {"grouped_ffn_down_exps[tp1]", "4x256x96:f32/q8:e2m1/1x32:f32:batch=4:packed x 2"},
      {"output[tp1]", "8x1000x256:f32/q8:int8/1x32f16:f32:packed x 1"},
  };
  EXPECT_EQ(listed(made), expected);
  EXPECT_EQ(made.notes[0], "F32: 2 tensors, listed as f32:f32:f32");
  EXPECT_EQ(made.notes[1], "Q8_0: 7 tensors, listed as f32/q8:int8/1x32f16:f32:packed");
  EXPECT_EQ(made.notes[2], "MXFP4: 4 tensors, listed as f32/q8:e2m1/1x32:f32:packed");
}

TEST(GgufShapes, AFormatIsForTheTensorsOfItsBlocks) {
  const auto layers = listed(gguf_shapes(model_of(with_experts()), "bf16:e2m1/1x32:bf16", {.m = {8}}));
  EXPECT_EQ(layers.at("ffn_down_exps[tp1]"), "4x256x96:bf16:e2m1/1x32:bf16 x 8");
  EXPECT_EQ(layers.at("attn_k[tp1]"), "8x128x256:f32/q8:int8/1x32f16:f32:packed x 2");
  const auto converted = listed(gguf_shapes(model_of(with_experts()), "a8w8", {.m = {8}}));
  EXPECT_EQ(converted.at("ffn_down_exps[tp1]"), "4x256x96:int8/row:int8/row:f32 x 8");
  EXPECT_EQ(converted.at("attn_k[tp1]"), "8x128x256:int8/row:int8/row:f32 x 2");
  EXPECT_EQ(converted.at("ffn_gate_inp[tp1]"), "8x4x256:f32:f32:f32 x 2");
  EXPECT_NE(complaint(with_experts(), {.m = {1}}, "q9").find("--format q9: expected one of"), std::string::npos);
}

TEST(GgufShapes, TypesWithoutAFormatAreNamedAndLeftOut) {
  const auto made = gguf_shapes(model_of(with_experts(q4_k)), "", {.m = {8}});
  EXPECT_FALSE(listed(made).contains("ffn_down_exps[tp1]"));
  EXPECT_TRUE(listed(made).contains("attn_q[tp1]"));
  EXPECT_EQ(made.notes[2],
            "Q4_K: 4 tensors are not listed, since no format here has their blocks; --format lists them as if "
            "they were converted");
  GgufWriter all;
  all.tensor("blk.0.attn_q.weight", q4_k, {256, 256});
  const auto why = complaint(all, {.m = {1}});
  EXPECT_NE(why.find("m.gguf: it has no product to list: Q4_K: 1 tensors are not listed"), std::string::npos) << why;
}

TEST(GgufShapes, DevicesShareThem) {
  const auto layers =
      listed(gguf_shapes(model_of(with_experts()), "", {.tensor_parallel = {8}, .expert_parallel = 2, .m = {8}}));
  EXPECT_EQ(layers.at("attn_q[tp8,ep2]").substr(0, 8), "8x32x256");
  EXPECT_EQ(layers.at("attn_k[tp8,ep2]").substr(0, 8), "8x32x256");  // each KV head twice
  EXPECT_EQ(layers.at("attn_output[tp8,ep2]").substr(0, 8), "8x256x32");
  EXPECT_EQ(layers.at("ffn_gate_inp[tp8,ep2]").substr(0, 7), "8x4x256");
  EXPECT_EQ(layers.at("ffn_gate_exps[tp8,ep2]"), "4x24x256:f32/q8:e2m1/1x32:f32:bias:packed x 4");
  EXPECT_EQ(layers.at("ffn_down_exps[tp8,ep2]"), "4x256x24:f32/q8:e2m1/1x32:f32:packed x 4");
  EXPECT_EQ(complaint(with_experts(), {.tensor_parallel = {3}, .m = {1}}),
            "--tp 3 does not divide gpt-oss.attention.head_count = 8");
  EXPECT_EQ(complaint(with_experts(), {.expert_parallel = 3, .m = {1}}),
            "--ep 3 does not divide the number of experts = 4");
}

TEST(GgufShapes, FusedQueriesKeysAndValuesStayFused) {
  GgufWriter writer;
  writer.word("general.architecture", "phi3")
      .u32("phi3.attention.head_count", 8)
      .u32("phi3.attention.head_count_kv", 2);
  writer.tensor("blk.0.attn_qkv.weight", gguf::q4_0, {256, 12 * 32});
  const auto n = [&](std::int64_t tp) {
    return gguf_shapes(model_of(writer), "", {.tensor_parallel = {tp}, .m = {1}}).shapes.at(0).problem.n;
  };
  EXPECT_EQ(n(1), 12 * 32);
  EXPECT_EQ(n(2), 6 * 32);
  EXPECT_EQ(n(4), (2 + 2) * 32);  // two query heads, one key, one value
}

TEST(GgufShapes, LogitsMayBeTiedAndPadded) {
  GgufWriter writer;
  writer.word("general.architecture", "llama").tensor("token_embd.weight", gguf::q8_0, {64, 1001});
  auto made = gguf_shapes(model_of(writer), "", {.tensor_parallel = {8}, .m = {8}, .logits_m = {1}});
  ASSERT_EQ(made.shapes.size(), 1);
  EXPECT_EQ(made.shapes[0].layer, "token_embd(tied)[tp8]");
  EXPECT_EQ(made.shapes[0].problem.n, 126);
  EXPECT_EQ(made.shapes[0].problem.m, 1);
  EXPECT_EQ(made.notes.back(), "tp 8: its 1001 logits do not divide and are padded to 1008");
  writer.flag("llama.attention.causal", 0).tensor("blk.0.attn_q.weight", gguf::f16, {64, 64});
  made = gguf_shapes(model_of(writer), "", {.m = {8}});
  ASSERT_EQ(made.shapes.size(), 1);
  EXPECT_EQ(made.shapes[0].layer, "attn_q[tp1]");
}

TEST(GgufShapes, LayersDifferInTypesAndSizes) {
  GgufWriter writer;
  writer.tensor("blk.0.ffn_up.weight", gguf::q4_0, {64, 96}).tensor("blk.1.ffn_up.weight", gguf::q8_0, {64, 96});
  writer.tensor("blk.2.ffn_up.weight", gguf::q4_0, {64, 96}).tensor("blk.3.ffn_up.weight", gguf::q4_0, {64, 128});
  const auto made = gguf_shapes(model_of(writer), "", {.m = {8}});
  ASSERT_EQ(made.shapes.size(), 3);
  EXPECT_EQ(made.shapes[0].weight, 2);
}

TEST(GgufShapes, WhatIsNotKnownIsNotListedAndNamed) {
  GgufWriter writer;
  writer.word("general.architecture", "x").u32("x.block_count", 2).u32("x.nextn_predict_layers", 1);
  writer.tensor("blk.0.attn_q.weight", gguf::f16, {64, 64}).tensor("blk.1.attn_q.weight", gguf::f16, {64, 64});
  writer.tensor("blk.0.odd_one.weight", gguf::f16, {64, 64}).tensor("blk.0.scale.weight", gguf::f32, {64});
  writer.tensor("v.patch.weight", gguf::f16, {64, 64}).tensor("blk.0.ffn_gate_inp_shexp.weight", gguf::f32, {64});
  const auto made = gguf_shapes(model_of(writer), "", {.m = {8}});
  EXPECT_EQ(listed(made), (std::map<std::string, std::string>{{"attn_q[tp1]", "8x64x64:f16:f16:f16 x 1"},
                                                              {"ffn_gate_inp_shexp[tp1]", "8x1x64:f32:f32:f32 x 1"}}));
  EXPECT_TRUE(std::ranges::count(made.notes,
                                 "not listed, since it is not known what multiplies them: odd_one (1), v.patch (1)"));
  EXPECT_TRUE(std::ranges::count(made.notes, "the last 1 layers predict further tokens and are not listed"));
  EXPECT_TRUE(std::ranges::count(made.notes, "m.gguf: it ends before its tensors do; the list needs only its header"));
}

TEST(GgufShapes, BothFormsOfLowRankAttentionCanBeChosen) {
  GgufWriter writer;
  writer.tensor("blk.0.attn_kv_b.weight", gguf::bf16, {64, 8 * 48})
      .tensor("blk.0.attn_k_b.weight", gguf::bf16, {32, 64, 8});
  const auto made = listed(gguf_shapes(model_of(writer), "", {.m = {8}, .latent_forms = {LatentForm::absorbed}}));
  EXPECT_EQ(made, (std::map<std::string, std::string>{{"attn_k_b[tp1]", "8x64x32:bf16:bf16:bf16:batch=8 x 1"}}));
  const auto unpacked = listed(gguf_shapes(model_of(writer), "", {.m = {8}, .latent_forms = {LatentForm::unpacked}}));
  EXPECT_EQ(unpacked, (std::map<std::string, std::string>{{"attn_kv_b[tp1]", "8x384x64:bf16:bf16:bf16 x 1"}}));
  EXPECT_EQ(complaint(GgufWriter().tensor("blk.0.ssm_in.weight", 0, {64, 64}), {.tensor_parallel = {2}, .m = {1}}),
            "--tp 2: it is not known here how devices share ssm_in");
}

TEST(GgufShapes, ExpertsThatDoNotAgreeAreRefused) {
  GgufWriter writer;
  writer.tensor("blk.0.ffn_up_exps.weight", gguf::mxfp4, {64, 96, 4});
  EXPECT_NE(complaint(writer, {.m = {1}}).find("expert_used_count: found 0, expected the number of its 4 experts"),
            std::string::npos);
  writer.u32(".expert_used_count", 2).tensor("blk.1.ffn_up_exps.weight", gguf::mxfp4, {64, 96, 8});
  EXPECT_NE(complaint(writer, {.m = {1}}).find("found 8 experts, expected 4 as in other layers"), std::string::npos);
  EXPECT_NE(complaint(GgufWriter().tensor("blk.0.attn_q.weight", 0, {4, 4, 2}), {.m = {1}})
                .find("found 3 dimensions, expected 2"),
            std::string::npos);
}

}  // namespace
}  // namespace gemmtune
