#include "gemmtune/shapes/layer_kinds.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

constexpr std::array<std::string_view, 4> attentions{"attention", "full_attention", "sliding_attention",
                                                     "chunked_attention"};

[[noreturn]] void wrong_count(const ModelConfig& model, const char* field, std::size_t found) {
  fail(ErrorCode::input, "{}: {}: found {} layers, expected {}, which is num_hidden_layers", model.source, field, found,
       model.layers);
}

std::vector<LayerParts> from_layer_types(const nlohmann::json& json, const JsonReader& fields,
                                         const ModelConfig& model) {
  const auto& types = json["layer_types"];
  if (!types.is_array()) fields.wrong("layer_types", "a list of the kinds of layers");
  if (types.size() != static_cast<std::size_t>(model.layers)) wrong_count(model, "layer_types", types.size());
  std::vector<LayerParts> parts;
  for (const auto& type : types) {
    const auto name = type.is_string() ? type.get<std::string>() : std::string();
    if (std::ranges::find(attentions, name) != attentions.end())
      parts.push_back({Mixer::attention});
    else if (name == "linear_attention")
      parts.push_back({Mixer::linear_attention});
    else
      fields.wrong("layer_types", "full_attention, sliding_attention, chunked_attention or linear_attention");
  }
  return parts;
}

/// Every layer whose number, counted from 1, is a multiple of the interval has full attention.
std::vector<LayerParts> from_interval(std::int64_t interval, std::int64_t layers) {
  std::vector<LayerParts> parts;
  for (std::int64_t i = 1; i <= layers; ++i)
    parts.push_back({i % interval == 0 ? Mixer::attention : Mixer::linear_attention});
  return parts;
}

/// Nemotron-H: M is a Mamba mixer, * is attention, - an MLP, E experts. Each is a layer of its own.
std::vector<LayerParts> from_pattern(const std::string& pattern, const JsonReader& fields, const ModelConfig& model) {
  if (pattern.size() != static_cast<std::size_t>(model.layers))
    wrong_count(model, "hybrid_override_pattern", pattern.size());
  std::vector<LayerParts> parts;
  for (const char kind : pattern) {
    if (kind == 'M')
      parts.push_back({Mixer::mamba, false});
    else if (kind == '*')
      parts.push_back({Mixer::attention, false});
    else if (kind == '-' || kind == 'E')
      parts.push_back({Mixer::none, true});
    else
      fields.wrong("hybrid_override_pattern", "M, *, - and E");
  }
  return parts;
}

/// Fields of models whose layers are not like those above. Each has cost somebody a wrong list.
constexpr std::array refused{"altup_num_inputs",
                             "attention_k_eq_v",
                             "attn_layer_indices",
                             "attn_layer_period",
                             "attn_type_list",
                             "block_configs",
                             "block_types",
                             "cross_attention_layers",
                             "enable_moe_block",
                             "expert_layer_period",
                             "ffn_dim",
                             "global_head_dim",
                             "hidden_size_per_layer_input",
                             "hybrid_layer_ids",
                             "hybrid_layer_pattern",
                             "is_encoder_decoder",
                             "layer_group_size",
                             "layers_block_type",
                             "linear_attn_config",
                             "moe_latent_size",
                             "moe_layer_interval",
                             "moe_layer_start_index",
                             "num_attention_heads_per_layer",
                             "num_kv_shared_layers",
                             "num_global_key_value_heads",
                             "per_layer_config",
                             "use_double_wide_mlp"};

/// null, false, 0 and [] say that the model has no such thing.
bool says_something(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  return !value.is_null() && !value.empty();
}

bool is_state_space(std::string_view name) {
  return name.starts_with("mamba_") || name.starts_with("ssm_") || name.starts_with("conv_");
}

}  // namespace

std::vector<LayerParts> layer_parts(const nlohmann::json& json, const JsonReader& fields, const ModelConfig& model) {
  if (const auto pattern = fields.text("hybrid_override_pattern")) return from_pattern(*pattern, fields, model);
  if (fields.has("layer_types")) return from_layer_types(json, fields, model);
  if (const auto interval = fields.optional_size({"full_attention_interval"}))
    return from_interval(*interval, model.layers);
  return std::vector<LayerParts>(static_cast<std::size_t>(model.layers));
}

LinearAttention linear_attention(const JsonReader& fields) {
  return {.key_heads = fields.size({"linear_num_key_heads"}),
          .key_dim = fields.size({"linear_key_head_dim"}),
          .value_heads = fields.size({"linear_num_value_heads"}),
          .value_dim = fields.size({"linear_value_head_dim"})};
}

Mamba mamba(const JsonReader& fields) {
  return {.heads = fields.size({"mamba_num_heads"}),
          .head_dim = fields.size({"mamba_head_dim"}),
          .groups = fields.size({"n_groups", "mamba_n_groups"}),
          .state = fields.size({"ssm_state_size"})};
}

void refuse_unknown_layers(const nlohmann::json& json, const JsonReader& fields, const ModelConfig& model) {
  constexpr auto expected = "a model without it: such layers are not known here";
  const bool has_pattern = fields.has("hybrid_override_pattern");
  for (const auto* name : refused)
    if (json.contains(name) && says_something(json[name]) &&
        !(has_pattern && name == std::string_view("layers_block_type")))
      fields.wrong(name, expected);
  for (const auto& [name, value] : json.items()) {
    if (is_state_space(name) && !has_pattern && says_something(value)) fields.wrong(name.c_str(), expected);
    const bool counts_experts = name.find("expert") != std::string::npos && value.is_number_integer() && value > 1;
    if (counts_experts && !model.experts) fields.wrong(name.c_str(), "a number of experts under a name known here");
  }
  const bool has_linear =
      std::ranges::any_of(model.parts, [](const LayerParts& parts) { return parts.mixer == Mixer::linear_attention; });
  if (fields.has("linear_num_value_heads") && !has_linear)
    fail(ErrorCode::input,
         "{}: linear_num_value_heads: neither layer_types nor full_attention_interval says which layers have it",
         model.source);
}

}  // namespace gemmtune
