// What a model's config.json (Hugging Face layout) says about its matrix multiplications, under one set of names.
// shapes/model_gemms.h derives the multiplications, and shapes/model_format.h their numeric formats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/gemm/dtype.h"

namespace gemmtune {

/// Attention through low-rank projections (DeepSeek).
struct LatentAttention {
  std::int64_t index_heads{};  // of the indexer that chooses the tokens to attend to (DeepSeek-V3.2); 0: there is none
  std::int64_t index_dim{};
  std::int64_t q_rank{};  // 0: queries are computed directly from the hidden state
  std::int64_t kv_rank{};
  std::int64_t nope_dim{};  // dimension of each head's query and key without positions
  std::int64_t rope_dim{};  // dimension with positions; all heads share that part of the key
  std::int64_t v_dim{};
};

/// A gated delta net (Qwen3-Next).
struct LinearAttention {
  std::int64_t key_heads{};
  std::int64_t key_dim{};
  std::int64_t value_heads{};
  std::int64_t value_dim{};
};

/// A Mamba-2 mixer (Nemotron-H).
struct Mamba {
  std::int64_t heads{};
  std::int64_t head_dim{};
  std::int64_t groups{};
  std::int64_t state{};  // size of each group's state
};

enum class Mixer : std::uint8_t { attention, linear_attention, mamba, none };

/// What one layer consists of.
struct LayerParts {
  Mixer mixer{Mixer::attention};
  bool feed_forward{true};  // an MLP, or experts (Experts::in_layer)
};

/// Where a checkpoint keeps the layers' modules.
struct ModulePaths {
  std::string layers{"model.layers"};
  std::string attention{"self_attn"};
  std::string mlp{"mlp"};
};

struct Experts {
  std::int64_t count{};
  std::int64_t per_token{};
  std::int64_t intermediate{};         // size of one routed expert
  std::int64_t shared_intermediate{};  // size of all shared experts together; 0 if there are none
  bool shared_gate{};                  // the shared expert's output is weighted by a layer with one output
  bool bias{};                         // of the experts and of the router
  std::vector<bool> in_layer{};        // whether layer i has experts instead of a dense MLP
};

struct ModelConfig {
  std::string source{};  // path of the file, for messages
  std::string model_type{};
  std::int64_t layers{};
  std::int64_t hidden{};
  std::int64_t vocab{};
  std::int64_t heads{};
  std::int64_t kv_heads{};
  std::int64_t head_dim{};
  std::int64_t intermediate{};  // of a dense MLP; 0 if every layer has experts
  bool qkv_bias{};
  bool o_bias{};
  bool mlp_bias{};
  bool tied_logits{};
  bool gated_attention{};  // queries come with as many gates
  bool gated_mlp{true};    // gate, up and down; otherwise up and down
  DType dtype{DType::bf16};
  ModulePaths paths{};
  std::vector<LayerParts> parts{};  // of each layer; see parts_of()
  std::optional<LinearAttention> linear{};
  std::optional<Mamba> mamba{};
  std::optional<LatentAttention> latent{};
  std::optional<Experts> experts{};
};

/// What this layer consists of: attention and a feed-forward part if model.parts does not say.
LayerParts parts_of(const ModelConfig& model, std::int64_t layer);

/// Throws Error{input}, which names the file and the field, if the field is missing, is of another kind, or contradicts
/// another field.
ModelConfig parse_model_config(const nlohmann::json& config, const std::string& source);

/// The JSON of the file, or of the config.json of a model's folder. Throws Error{input} with the position at which it
/// is not JSON.
nlohmann::json read_model_json(const std::filesystem::path& path);

/// The part that describes the language model: a nested text_config (or llm_config, language_config), or else the whole
/// config.
const nlohmann::json& language_part(const nlohmann::json& config);

}  // namespace gemmtune
