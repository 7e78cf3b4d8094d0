#include "gemmtune/shapes/model_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "gemmtune/core/error.h"
#include "gemmtune/core/files.h"
#include "gemmtune/core/json.h"
#include "gemmtune/shapes/json_reader.h"
#include "gemmtune/shapes/layer_kinds.h"

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
  const auto index_heads = fields.count_or("index_n_heads", 0);
  return LatentAttention{.index_heads = index_heads,
                         .index_dim = index_heads > 0 ? fields.size({"index_head_dim"}) : 0,
                         .q_rank = fields.count_or("q_lora_rank", 0),
                         .kv_rank = fields.size({"kv_lora_rank"}),
                         .nope_dim = fields.size({"qk_nope_head_dim"}),
                         .rope_dim = fields.size({"qk_rope_head_dim"}),
                         .v_dim = fields.size({"v_head_dim"})};
}

/// Llama 4 may list its layers with experts.
std::vector<bool> listed_layers(const nlohmann::json& list, const JsonReader& fields, std::int64_t layers) {
  std::vector<bool> has(static_cast<std::size_t>(layers));
  if (!list.is_array()) fields.wrong("moe_layers", "a list of layers");
  for (const auto& layer : list) {
    if (!layer.is_number_unsigned() || layer.get<std::uint64_t>() >= has.size())
      fields.wrong("moe_layers", "a list of layers");
    has[layer.get<std::uint64_t>()] = true;
  }
  return has;
}

/// Which layers have experts: those from first_k_dense_replace on whose index is a multiple of moe_layer_freq and whose
/// number, counted from 1, is a multiple of decoder_sparse_step. Layers in mlp_only_layers have none.
std::vector<bool> expert_layers(const nlohmann::json& json, const JsonReader& fields, std::int64_t layers) {
  if (const auto pattern = fields.text("hybrid_override_pattern")) {
    std::vector<bool> has;
    for (const char kind : *pattern) has.push_back(kind == 'E');
    return has;
  }
  if (fields.has("moe_layers")) return listed_layers(json["moe_layers"], fields, layers);
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

/// The size of all shared experts of a layer together. Llama 4 has one of the routed ones' size, which no field says.
std::int64_t shared_size(const JsonReader& fields, const ModelConfig& model, const Experts& experts) {
  if (const auto size =
          fields.optional_size({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"}))
    return *size;
  const std::int64_t unsaid = model.model_type.starts_with("llama4") ? 1 : 0;
  return fields.count_or("n_shared_experts", unsaid) * experts.intermediate;
}

std::optional<Experts> experts(const nlohmann::json& json, const JsonReader& fields, const ModelConfig& model) {
  const auto count = fields.optional_size({"n_routed_experts", "num_local_experts", "num_experts"});
  if (!count) return std::nullopt;
  Experts experts{.count = *count,
                  .per_token = fields.size({"num_experts_per_tok", "experts_per_token", "top_k_experts"}),
                  .intermediate = fields.size({"moe_intermediate_size", "intermediate_size"}),
                  .shared_gate = fields.has("shared_expert_intermediate_size"),
                  .bias = model.model_type == "gpt_oss",
                  .in_layer = expert_layers(json, fields, model.layers)};
  if (experts.per_token > experts.count)
    fail(ErrorCode::input, "{}: found {} experts for each token, expected at most {}, which is the number of experts",
         model.source, experts.per_token, experts.count);
  experts.shared_intermediate = shared_size(fields, model, experts);
  return experts;
}

void read_attention(const JsonReader& fields, ModelConfig& model) {
  model.heads = fields.size({"num_attention_heads"});
  model.kv_heads = fields.optional_size({"num_key_value_heads"}).value_or(model.heads);
  model.latent = latent_attention(fields);
  const auto explicit_dim = fields.optional_size({"head_dim", "attention_head_dim"});
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
  for (std::size_t layer = 0; layer < model.parts.size(); ++layer)
    if (model.parts[layer].feed_forward && !(model.experts && model.experts->in_layer[layer])) return true;
  return false;
}

bool has(const ModelConfig& model, Mixer mixer) {
  return std::ranges::find(model.parts, mixer, &LayerParts::mixer) != model.parts.end();
}

/// Models whose MLP has no gate, though their configs look like those of models with one.
constexpr std::array<std::string_view, 7> models_without_gate{"arcee",     "gpt_neox", "nemotron",  "nemotron_h",
                                                              "persimmon", "phi",      "starcoder2"};

void read_layers(const nlohmann::json& json, const JsonReader& fields, ModelConfig& model) {
  model.parts = layer_parts(json, fields, model);
  if (has(model, Mixer::linear_attention)) model.linear = linear_attention(fields);
  if (has(model, Mixer::mamba)) model.mamba = mamba(fields);
  model.gated_mlp = std::ranges::find(models_without_gate, model.model_type) == models_without_gate.end();
  const bool is_qwen3_hybrid = model.model_type.starts_with("qwen3_next") || model.model_type.starts_with("qwen3_5");
  model.gated_attention = fields.flag("attn_output_gate").value_or(is_qwen3_hybrid);
  if (model.model_type.starts_with("llama4")) model.paths.mlp = "feed_forward";
  if (fields.has("hybrid_override_pattern"))
    model.paths = {.layers = "backbone.layers", .attention = "mixer", .mlp = "mixer"};
}

}  // namespace

nlohmann::json read_model_json(const std::filesystem::path& path) {
  const auto file = std::filesystem::is_directory(path) ? path / "config.json" : path;
  return parse_json(read_file(file), file.string());
}

const nlohmann::json& language_part(const nlohmann::json& config) {
  for (const auto* name : {"text_config", "llm_config", "language_config"})
    if (config.is_object() && config.contains(name) && config[name].contains("hidden_size")) return config[name];
  return config;
}

LayerParts parts_of(const ModelConfig& model, std::int64_t layer) {
  const auto index = static_cast<std::size_t>(layer);
  return index < model.parts.size() ? model.parts[index] : LayerParts{};
}

ModelConfig parse_model_config(const nlohmann::json& config, const std::string& source) {
  const auto& json = language_part(config);
  const JsonReader whole(config, source);
  const JsonReader fields(json, source);
  ModelConfig model{.source = source,
                    .model_type = fields.text("model_type").value_or(whole.text("model_type").value_or("")),
                    .layers = fields.size({"num_hidden_layers"}),
                    .hidden = fields.size({"hidden_size"}),
                    .vocab = fields.size({"vocab_size"}),
                    .dtype = model_dtype(fields.has("torch_dtype") || fields.has("dtype") ? fields : whole)};
  if (model.layers > most_layers) fields.wrong("num_hidden_layers", fmt::format("at most {}", most_layers));
  model.tied_logits = fields.flag("tie_word_embeddings").value_or(whole.flag("tie_word_embeddings").value_or(false));
  read_layers(json, fields, model);
  read_attention(fields, model);
  read_biases(fields, model);
  model.experts = experts(json, fields, model);
  refuse_unknown_layers(json, fields, model);
  // Llama 4 says the experts' size as intermediate_size.
  const auto wide = fields.optional_size({"intermediate_size_mlp"});
  if (has_dense_layer(model)) model.intermediate = wide ? *wide : fields.size({"intermediate_size"});
  return model;
}

}  // namespace gemmtune
