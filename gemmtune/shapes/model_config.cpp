#include "gemmtune/shapes/model_config.h"

#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/shapes/json_reader.h"

namespace gemmtune {
namespace {

constexpr std::int64_t most_layers = 10000;

DType model_dtype(const JsonReader& fields) {
  for (const auto* name : {"torch_dtype", "dtype"})
    if (const auto text = fields.text(name)) {
      if (const auto type = parse_dtype(*text)) return *type;
      fields.wrong(name, "a type, as bfloat16");
    }
  return DType::bf16;
}

std::optional<LatentAttention> latent_attention(const JsonReader& fields) {
  if (!fields.has("kv_lora_rank")) return std::nullopt;
  return LatentAttention{.q_rank = fields.count_or("q_lora_rank", 0),
                         .kv_rank = fields.size({"kv_lora_rank"}),
                         .nope_dim = fields.size({"qk_nope_head_dim"}),
                         .rope_dim = fields.size({"qk_rope_head_dim"}),
                         .v_dim = fields.size({"v_head_dim"})};
}

/// Which layers have experts: those from first_k_dense_replace on whose index is a multiple of moe_layer_freq and whose
/// number, counted from 1, is a multiple of decoder_sparse_step. Layers in mlp_only_layers have none.
std::vector<bool> expert_layers(const nlohmann::json& json, const JsonReader& fields, std::int64_t layers) {
  const auto dense = fields.count_or("first_k_dense_replace", 0);
  const auto frequency = fields.optional_size({"moe_layer_freq"}).value_or(1);
  const auto step = fields.optional_size({"decoder_sparse_step", "interleave_moe_layer_step"}).value_or(1);
  std::vector<bool> has(static_cast<std::size_t>(layers));
  for (std::int64_t i = 0; i < layers; ++i)
    has[static_cast<std::size_t>(i)] = i >= dense && i % frequency == 0 && (i + 1) % step == 0;
  if (!fields.has("mlp_only_layers")) return has;
  if (!json["mlp_only_layers"].is_array()) fields.wrong("mlp_only_layers", "a list of layers");
  for (const auto& layer : json["mlp_only_layers"]) {
    if (!layer.is_number_integer()) fields.wrong("mlp_only_layers", "a list of layers");
    if (const auto index = layer.get<std::uint64_t>(); index < has.size()) has[index] = false;
  }
  return has;
}

std::optional<Experts> experts(const nlohmann::json& json, const JsonReader& fields, const ModelConfig& model) {
  const auto count = fields.optional_size({"n_routed_experts", "num_local_experts", "num_experts"});
  if (!count) return std::nullopt;
  Experts experts{.count = *count,
                  .per_token = fields.size({"num_experts_per_tok", "experts_per_token"}),
                  .intermediate = fields.size({"moe_intermediate_size", "intermediate_size"}),
                  .shared_gate = fields.has("shared_expert_intermediate_size"),
                  .bias = model.model_type == "gpt_oss",
                  .in_layer = expert_layers(json, fields, model.layers)};
  if (experts.per_token > experts.count)
    fail(ErrorCode::input, "{}: found {} experts for each token, expected at most {}, which is the number of experts",
         model.source, experts.per_token, experts.count);
  experts.shared_intermediate = experts.shared_gate ? fields.size({"shared_expert_intermediate_size"})
                                                    : fields.count_or("n_shared_experts", 0) * experts.intermediate;
  return experts;
}

void read_attention(const JsonReader& fields, ModelConfig& model) {
  model.heads = fields.size({"num_attention_heads"});
  model.kv_heads = fields.optional_size({"num_key_value_heads"}).value_or(model.heads);
  model.latent = latent_attention(fields);
  const auto explicit_dim = fields.optional_size({"head_dim"});
  if (!explicit_dim && !model.latent && model.hidden % model.heads != 0)
    fail(ErrorCode::input, "{}: hidden_size {} is no multiple of num_attention_heads {}, and there is no head_dim",
         model.source, model.hidden, model.heads);
  model.head_dim = explicit_dim.value_or(model.hidden / model.heads);
}

/// Qwen2 has biases on q, k and v that its config does not mention, and none on o.
void read_biases(const JsonReader& fields, ModelConfig& model) {
  const bool qwen2 = model.model_type.starts_with("qwen2");
  const bool attention = fields.flag("attention_bias").value_or(false);
  model.qkv_bias = attention || fields.flag("qkv_bias").value_or(qwen2);
  model.o_bias = attention;
  model.mlp_bias = fields.flag("mlp_bias").value_or(false);
}

bool has_dense_layer(const ModelConfig& model) {
  if (!model.experts) return true;
  for (const bool expert : model.experts->in_layer)
    if (!expert) return true;
  return false;
}

}  // namespace

nlohmann::json read_model_json(const std::filesystem::path& path) { return parse_json(read_file(path), path.string()); }

const nlohmann::json& language_part(const nlohmann::json& config) {
  for (const auto* name : {"text_config", "llm_config", "language_config"})
    if (config.is_object() && config.contains(name) && config[name].contains("hidden_size")) return config[name];
  return config;
}

ModelConfig parse_model_config(const nlohmann::json& config, const std::string& source) {
  const auto& json = language_part(config);
  const JsonReader whole(config, source);
  const JsonReader fields(json, source);
  ModelConfig model{.source = source,
                    .model_type = fields.text("model_type").value_or(""),
                    .layers = fields.size({"num_hidden_layers"}),
                    .hidden = fields.size({"hidden_size"}),
                    .vocab = fields.size({"vocab_size"}),
                    .dtype = model_dtype(fields.has("torch_dtype") || fields.has("dtype") ? fields : whole)};
  if (model.layers > most_layers) fields.wrong("num_hidden_layers", fmt::format("at most {}", most_layers));
  model.tied_logits = fields.flag("tie_word_embeddings").value_or(whole.flag("tie_word_embeddings").value_or(false));
  read_attention(fields, model);
  read_biases(fields, model);
  model.experts = experts(json, fields, model);
  if (has_dense_layer(model)) model.intermediate = fields.size({"intermediate_size"});
  return model;
}

}  // namespace gemmtune
