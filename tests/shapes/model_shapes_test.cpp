#include "gemmtune/shapes/model_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

ModelConfig dense() {
  return {.source = "config.json",
          .layers = 4,
          .hidden = 64,
          .vocab = 1000,
          .heads = 8,
          .kv_heads = 4,
          .head_dim = 16,
          .intermediate = 96};
}

ModelConfig with_experts() {
  auto model = dense();
  model.experts = Experts{.count = 16, .per_token = 4, .intermediate = 32, .in_layer = {true, true, true, true}};
  return model;
}

ModelFormat plain() { return {.plain = {.a = {}, .w = {}}, .quantised = {.a = {}, .w = {}}}; }

ModelShapes make(const ModelConfig& model, const ModelRequest& request) {
  return model_shapes(model, plain(), request);
}

const Shape* find(const ModelShapes& made, const std::string& layer) {
  const auto found =
      std::ranges::find_if(made.shapes, [&](const Shape& s) { return s.layer.find(layer) != s.layer.npos; });
  return found == made.shapes.end() ? nullptr : &*found;
}

std::string complaint(const ModelConfig& model, const ModelRequest& request) {
  try {
    (void)make(model, request);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "none";
}

TEST(ModelShapes, WhatDoesNotDivideIsNamed) {
  EXPECT_EQ(complaint(dense(), {.tensor_parallel = {3}, .m = {1}}), "--tp 3 does not divide num_attention_heads = 8");
  auto model = dense();
  model.heads = 24;
  EXPECT_EQ(complaint(model, {.tensor_parallel = {6}, .m = {1}}),
            "--tp 6 is no multiple of num_key_value_heads = 4, which are fewer");
  model.kv_heads = 8;
  EXPECT_EQ(complaint(model, {.tensor_parallel = {3}, .m = {1}}), "--tp 3 does not divide num_key_value_heads = 8");
  model = dense();
  model.intermediate = 100;
  EXPECT_EQ(complaint(model, {.tensor_parallel = {8}, .m = {1}}), "--tp 8 does not divide intermediate_size = 100");
  EXPECT_EQ(complaint(with_experts(), {.expert_parallel = 3, .m = {1}}),
            "--ep 3 does not divide the number of experts = 16");
  EXPECT_EQ(complaint(with_experts(), {.tensor_parallel = {4}, .expert_parallel = 8, .m = {1}}), "none");
  model = with_experts();
  model.experts->intermediate = 6;
  EXPECT_EQ(complaint(model, {.tensor_parallel = {4}, .m = {1}}), "--tp 4 does not divide moe_intermediate_size = 6");
  EXPECT_EQ(complaint(dense(), {.expert_parallel = 2, .m = {1}}), "--ep 2: config.json has no experts");
}

TEST(ModelShapes, FewerKvHeadsThanRanksAreRepeatedAndSaidSo) {
  const auto made = make(dense(), {.tensor_parallel = {8}, .m = {1}});
  EXPECT_EQ(find(made, "qkv_proj")->problem.n, (1 + 2) * 16);
  EXPECT_EQ(made.notes, std::vector<std::string>{"tp 8: its 4 KV heads are repeated, so that each rank has one"});
}

TEST(ModelShapes, AVocabularyThatDoesNotDivideIsPaddedAndSaidSo) {
  auto model = dense();
  model.vocab = 1001;
  EXPECT_EQ(find(make(model, {.m = {1}}), "lm_head")->problem.n, 1001);
  const auto made = make(model, {.tensor_parallel = {4}, .m = {1}});
  EXPECT_EQ(find(made, "lm_head")->problem.n, 251);
  EXPECT_EQ(made.notes, std::vector<std::string>{"tp 4: vocab_size 1001 does not divide and is padded to 1004"});
}

TEST(ModelShapes, TiedLogitsAreNamed) {
  auto model = dense();
  model.tied_logits = true;
  EXPECT_NE(find(make(model, {.m = {1}}), "lm_head(tied)"), nullptr);
}

TEST(ModelShapes, LogitsMayHaveRowsOfTheirOwn) {
  const auto made = make(dense(), {.m = {512}, .logits_m = {4}});
  EXPECT_EQ(find(made, "lm_head")->problem.m, 4);
  EXPECT_EQ(find(made, "qkv_proj")->problem.m, 512);
}

TEST(ModelShapes, BiasesStandWhereTheConfigHasThem) {
  auto model = dense();
  model.qkv_bias = true;
  const auto made = make(model, {.m = {1}});
  EXPECT_TRUE(find(made, "qkv_proj")->problem.epilogue.bias);
  EXPECT_FALSE(find(made, "o_proj")->problem.epilogue.bias);
  EXPECT_FALSE(find(made, "gate_up_proj")->problem.epilogue.bias);
}

/// Calls × rows is at least the number of rows that the router sends out, and exceeds it by less than one row for each
/// expert called.
TEST(ModelShapes, RoutedTokensAreSpreadEvenly) {
  for (std::int64_t m = 1; m <= 70; ++m)
    for (const std::int64_t ep : {1, 2, 16}) {
      const auto made = make(with_experts(), {.expert_parallel = ep, .m = {m}});
      const auto* shape = find(made, "experts.down_proj");
      const auto calls = static_cast<std::int64_t>(shape->weight) / 4;
      const auto routed = m * 4;
      EXPECT_LE(calls, 16 / ep) << m;
      EXPECT_GE(calls * shape->problem.m * ep, routed) << m;
      EXPECT_LT((calls - 1) * (shape->problem.m - 1) * ep, routed) << m;
      EXPECT_TRUE(m > 1 || calls == (4 + ep - 1) / ep);
    }
}

TEST(ModelShapes, OrEachMIsAtOneExpert) {
  const auto made = make(with_experts(), {.m = {7}, .expert_tokens = ExpertTokens::listed});
  EXPECT_EQ(find(made, "experts.down_proj")->problem.m, 7);
  EXPECT_EQ(find(made, "experts.down_proj")->weight, 4 * 16);
}

TEST(ModelShapes, BothWaysOfRunningProjections) {
  const auto made = make(dense(), {.m = {1}, .projections = {Projections::fused, Projections::unfused}});
  for (const auto* layer : {"qkv_proj", "q_proj", "k_proj", "gate_up_proj", "up_proj"})
    EXPECT_NE(find(made, layer), nullptr) << layer;
  EXPECT_EQ(find(made, "o_proj")->weight, 4);  // the same either way: counted once
}

/// Layer 0 was not quantised, so its problem differs from that of the three other layers.
TEST(ModelShapes, LayersThatWereNotQuantisedAreApart) {
  auto format = plain();
  format.quantised.a = format.quantised.w = {.type = DType::i8, .scaling = Scaling::row};
  format.left_alone.add("model.layers.0");
  const auto made = model_shapes(dense(), format, {.m = {1}});
  std::vector<std::string> lines;
  for (const auto& shape : made.shapes)
    if (shape.layer.starts_with("o_proj"))
      lines.push_back(fmt::format("{} x {}", to_string(shape.problem), shape.weight));
  EXPECT_EQ(lines, (std::vector<std::string>{"1x64x128:bf16:bf16:bf16 x 1", "1x64x128:int8/row:int8/row:bf16 x 3"}));
  EXPECT_EQ(find(made, "lm_head")->problem.w.type, DType::bf16);
}

TEST(ModelShapes, PartialBlocksOfScalesAreSaid) {
  auto format = plain();
  format.quantised.w = {.type = DType::e4m3, .scaling = Scaling::block_128x128};
  format.quantised.a = {.type = DType::e4m3, .scaling = Scaling::block_1x128};
  auto model = dense();
  model.hidden = 128;
  model.intermediate = 192;
  const auto made = model_shapes(model, format, {.m = {1}});
  EXPECT_EQ(made.notes,
            std::vector<std::string>{"tp 1: down_proj of 128x192 does not fill its blocks of scales evenly"});
}

TEST(ModelShapes, LatentAttentionWithoutARankForQueries) {
  auto model = dense();
  model.latent = LatentAttention{.q_rank = 0, .kv_rank = 32, .nope_dim = 12, .rope_dim = 4, .v_dim = 10};
  const auto made = make(model, {.tensor_parallel = {2}, .m = {3}});
  const auto sizes = [&](const char* layer) {
    const auto& problem = find(made, layer)->problem;
    return fmt::format("{}x{}x{}", problem.n, problem.k, problem.batch);
  };
  EXPECT_EQ(sizes("q_proj"), "64x64x1");
  EXPECT_EQ(sizes("kv_a_proj_with_mqa"), "36x64x1");
  EXPECT_EQ(sizes("kv_b_proj"), "88x32x1");
  EXPECT_EQ(sizes("absorbed_q"), "32x12x4");
  EXPECT_EQ(sizes("absorbed_v"), "10x32x4");
  EXPECT_EQ(sizes("o_proj"), "64x40x1");
}

/// However a model is cut, all devices together do the work of one. Work that each device repeats is left out.
TEST(ModelShapes, CuttingAModelKeepsItsWork) {
  const auto work = [](const ModelShapes& made) {
    double sum = 0;
    for (const auto& shape : made.shapes)
      if (shape.layer.find("router") == std::string::npos) sum += flops(shape.problem) * shape.weight;
    return sum;
  };
  for (const auto& model : {dense(), with_experts()}) {
    const auto whole = work(make(model, {.m = {256}}));
    for (const std::int64_t tp : {2, 4})
      EXPECT_EQ(work(make(model, {.tensor_parallel = {tp}, .m = {256}})) * static_cast<double>(tp), whole);
  }
  const auto whole = work(make(with_experts(), {.m = {256}}));
  for (const std::int64_t ep : {2, 4})
    EXPECT_EQ(4 * work(make(with_experts(), {.tensor_parallel = {4}, .expert_parallel = ep, .m = {256}})), whole);
}

}  // namespace
}  // namespace gemmtune
