#include "gemmtune/shapes/model_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"

namespace gemmtune {
namespace {

using Json = nlohmann::json;

Json small() {
  return {{"hidden_size", 64},  {"intermediate_size", 256}, {"num_attention_heads", 4}, {"num_hidden_layers", 2},
          {"vocab_size", 1000}, {"num_key_value_heads", 2}, {"torch_dtype", "float16"}, {"model_type", "llama"}};
}

ModelConfig parse(const Json& json) { return parse_model_config(json, "config.json"); }

std::string complaint(const Json& json) {
  try {
    (void)parse(json);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    return error.what();
  }
  return "none";
}

TEST(ModelConfig, ReadsADenseModel) {
  const auto model = parse(small());
  EXPECT_EQ(model.head_dim, 16);
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.dtype, DType::f16);
  EXPECT_FALSE(model.qkv_bias || model.o_bias || model.mlp_bias || model.tied_logits);
  EXPECT_FALSE(model.experts || model.latent);
}

TEST(ModelConfig, WithoutKvHeadsEachHeadHasItsOwn) {
  auto json = small();
  json.erase("num_key_value_heads");
  EXPECT_EQ(parse(json).kv_heads, 4);
}

TEST(ModelConfig, AnExplicitHeadDimWins) {
  auto json = small();
  json["head_dim"] = 128;
  EXPECT_EQ(parse(json).head_dim, 128);
  json["head_dim"] = nullptr;
  EXPECT_EQ(parse(json).head_dim, 16);
}

TEST(ModelConfig, LooksIntoANestedTextConfig) {
  Json nested{{"text_config", small()}, {"tie_word_embeddings", true}, {"dtype", "bfloat16"}};
  nested["text_config"].erase("torch_dtype");
  const auto model = parse(nested);
  EXPECT_EQ(model.hidden, 64);
  EXPECT_TRUE(model.tied_logits);
  EXPECT_EQ(model.dtype, DType::bf16);
}

TEST(ModelConfig, Biases) {
  auto json = small();
  json["attention_bias"] = true;
  EXPECT_TRUE(parse(json).qkv_bias && parse(json).o_bias);
  json = small();
  json["model_type"] = "qwen2";
  EXPECT_TRUE(parse(json).qkv_bias);
  EXPECT_FALSE(parse(json).o_bias);
  json["qkv_bias"] = false;
  EXPECT_FALSE(parse(json).qkv_bias);
  json["mlp_bias"] = true;
  EXPECT_TRUE(parse(json).mlp_bias);
}

TEST(ModelConfig, ExpertsStandInTheLayersThatSaySo) {
  auto json = small();
  json.update(
      {{"num_hidden_layers", 6}, {"num_experts", 8}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 32}});
  EXPECT_EQ(parse(json).experts->in_layer, (std::vector<bool>{true, true, true, true, true, true}));
  json["decoder_sparse_step"] = 2;
  EXPECT_EQ(parse(json).experts->in_layer, (std::vector<bool>{false, true, false, true, false, true}));
  json["mlp_only_layers"] = {3, 77};
  EXPECT_EQ(parse(json).experts->in_layer, (std::vector<bool>{false, true, false, false, false, true}));
  json.erase("decoder_sparse_step");
  json.erase("mlp_only_layers");
  json["first_k_dense_replace"] = 1;
  json["moe_layer_freq"] = 2;
  EXPECT_EQ(parse(json).experts->in_layer, (std::vector<bool>{false, false, true, false, true, false}));
}

TEST(ModelConfig, SharedExperts) {
  auto json = small();
  json.update(
      {{"n_routed_experts", 8}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 32}, {"n_shared_experts", 2}});
  EXPECT_EQ(parse(json).experts->shared_intermediate, 64);
  EXPECT_FALSE(parse(json).experts->shared_gate);
  json.erase("n_shared_experts");
  json["shared_expert_intermediate_size"] = 48;
  EXPECT_EQ(parse(json).experts->shared_intermediate, 48);
  EXPECT_TRUE(parse(json).experts->shared_gate);
}

TEST(ModelConfig, AModelOfExpertsOnlyNeedsNoDenseSize) {
  auto json = small();
  json.update({{"num_experts", 8}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 32}});
  json.erase("intermediate_size");
  EXPECT_EQ(parse(json).intermediate, 0);
  json["first_k_dense_replace"] = 1;
  EXPECT_EQ(complaint(json), "config.json: there is no intermediate_size");
}

/// Products of two dimensions, and sums of these, stay within 64 bits.
TEST(ModelConfig, DimensionsHaveALimit) {
  auto json = small();
  json["num_attention_heads"] = std::int64_t{1} << 31;
  json["head_dim"] = std::int64_t{1} << 31;
  EXPECT_EQ(complaint(json),
            "config.json: num_attention_heads: found 2147483648, expected a whole number from 0 to 268435456");
}

TEST(ModelConfig, NamesWhatIsMissingOrWrong) {
  auto json = small();
  json.erase("hidden_size");
  EXPECT_EQ(complaint(json), "config.json: there is no hidden_size");
  json = small();
  json["vocab_size"] = "many";
  EXPECT_EQ(complaint(json), "config.json: vocab_size: found \"many\", expected a whole number from 0 to 268435456");
  json["vocab_size"] = 0;
  EXPECT_EQ(complaint(json), "config.json: vocab_size: found 0, expected a whole number above 0");
  json = small();
  json["num_attention_heads"] = 5;
  EXPECT_EQ(complaint(json),
            "config.json: hidden_size 64 is no multiple of num_attention_heads 5, and there is no head_dim");
  json = small();
  json["attention_bias"] = 1;
  EXPECT_EQ(complaint(json), "config.json: attention_bias: found 1, expected true or false");
  json = small();
  json["torch_dtype"] = "banana";
  EXPECT_EQ(complaint(json), "config.json: torch_dtype: found \"banana\", expected a type, as bfloat16");
  json = small();
  json.update({{"num_experts", 8}, {"num_experts_per_tok", 9}});
  EXPECT_EQ(complaint(json),
            "config.json: found 9 experts for each token, expected at most 8, which is the number of experts");
  json = small();
  json["num_hidden_layers"] = 1000000;
  EXPECT_EQ(complaint(json), "config.json: num_hidden_layers: found 1000000, expected at most 10000");
  EXPECT_EQ(complaint(Json::array()), "config.json: expected a JSON object");
}

TEST(ModelConfig, AFileThatIsNoJsonIsNamed) {
  const auto path = std::filesystem::path(testing::TempDir()) / "no_json.json";
  std::fclose(std::fopen(path.c_str(), "w"));
  EXPECT_THROW((void)read_model_json(path), Error);
  std::filesystem::remove(path);
}

std::vector<Mixer> mixers(const Json& json) {
  std::vector<Mixer> found;
  for (const auto& parts : parse(json).parts) found.push_back(parts.mixer);
  return found;
}

Json hybrid(std::int64_t layers) {
  auto json = small();
  json["num_hidden_layers"] = layers;
  json.update({{"linear_num_key_heads", 2},
               {"linear_key_head_dim", 8},
               {"linear_num_value_heads", 4},
               {"linear_value_head_dim", 8}});
  return json;
}

TEST(ModelConfig, LayersOfHybridModels) {
  using enum Mixer;
  auto json = hybrid(4);
  json["full_attention_interval"] = 2;
  EXPECT_EQ(mixers(json), (std::vector{linear_attention, attention, linear_attention, attention}));
  json["layer_types"] = {"full_attention", "sliding_attention", "linear_attention", "chunked_attention"};
  EXPECT_EQ(mixers(json), (std::vector{attention, attention, linear_attention, attention}));
  json["attn_output_gate"] = true;
  EXPECT_TRUE(parse(json).gated_attention);
}

/// Each of these gave a plausible list with wrong shapes.
TEST(ModelConfig, LayersThatAreNotKnownAreRefusedByTheirField) {
  const auto with = [](const char* name, const Json& value) {
    auto json = small();
    json[name] = value;
    return complaint(json);
  };
  EXPECT_EQ(with("layer_types", {"full_attention", "mamba"}),
            "config.json: layer_types: found [\"full_attention\",\"mamba\"], expected full_attention, "
            "sliding_attention, chunked_attention or linear_attention");
  EXPECT_EQ(with("layer_types", {"full_attention"}),
            "config.json: layer_types: found 1 layers, expected 2, which is num_hidden_layers");
  EXPECT_EQ(with("hybrid_override_pattern", "M*-"),
            "config.json: hybrid_override_pattern: found 3 layers, expected 2, which is num_hidden_layers");
  EXPECT_EQ(with("hybrid_override_pattern", "M*"), "config.json: there is no mamba_num_heads");
  for (const auto* name : {"global_head_dim", "mamba_d_ssm", "moe_num_experts", "attn_layer_period", "ffn_dim"})
    EXPECT_EQ(with(name, 8).find(fmt::format("config.json: {}: found 8, expected ", name)), 0U) << with(name, 8);
  EXPECT_EQ(with("linear_num_value_heads", 8),
            "config.json: linear_num_value_heads: neither layer_types nor full_attention_interval says which layers "
            "have it");
  for (const auto* name : {"global_head_dim", "enable_moe_block", "num_kv_shared_layers"}) {
    EXPECT_EQ(with(name, nullptr), "none");
    EXPECT_EQ(with(name, false), "none");
    EXPECT_EQ(with(name, 0), "none");
  }
}

TEST(ModelConfig, AFolderIsReadByItsConfig) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "gemmtune_model";
  std::filesystem::create_directories(folder);
  write_file_atomically(folder / "config.json", small().dump());
  EXPECT_EQ(read_model_json(folder), small());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gemmtune
