// The matrix multiplications of a model's forward pass, for one way of distributing it over devices. Source of the
// shapes: the layers as vLLM and SGLang run them (fused projections, column- and row-parallel layers).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/shapes/model_config.h"

namespace gemmtune {

struct Parallelism {
  std::int64_t tensor{1};
  std::int64_t expert{1};  // ranks over which the experts are spread; each is cut tensor / expert ways
};

/// Which rows a multiplication has.
enum class Tokens {
  all,
  routed,  // those that the router sends to one expert
  last,    // those for which a next token is asked
};

struct ModelGemm {
  std::string layer{};  // "qkv_proj", "experts.down_proj", "lm_head"
  std::vector<std::string>
      modules{};  // below model.layers.i, of the checkpoint: "self_attn.q_proj"; empty: never quantised
  std::int64_t n{};
  std::int64_t k{};
  std::int64_t batch{1};
  std::int64_t count{1};  // of these in one layer
  bool bias{};
  Tokens tokens{Tokens::all};
};

/// How projections of the same input are run.
enum class Projections { fused, unfused };

/// Attention through low-rank projections: with the keys and values unpacked (prefill: kv_b_proj), or with that
/// projection absorbed into queries and outputs (decode: two batched multiplications, one for each head).
enum class LatentForm { unpacked, absorbed };

/// A model on so many devices, seen by one rank. Throws Error{usage} that names the dimension that does not divide.
class ShardedModel {
 public:
  ShardedModel(const ModelConfig& model, Parallelism parallelism);

  std::vector<ModelGemm> attention(Projections projections, LatentForm form) const;

  /// A dense MLP, or router, routed and shared experts.
  std::vector<ModelGemm> feed_forward(std::int64_t layer, Projections projections) const;

  /// A rank's part of the vocabulary, rounded up where it does not divide, as serving pads it.
  ModelGemm logits() const;

  /// Remarks for the user: repeated KV heads, a padded vocabulary.
  std::vector<std::string> notes() const;

 private:
  std::vector<ModelGemm> grouped_query_attention(Projections projections) const;
  std::vector<ModelGemm> latent_attention(Projections projections, LatentForm form) const;
  std::vector<ModelGemm> gated_mlp(const ModelGemm& like, std::int64_t intermediate, Projections projections) const;
  bool has_experts(std::int64_t layer) const;

  const ModelConfig& model_;
  Parallelism parallelism_;
  std::int64_t heads_{};     // on this rank, like all below
  std::int64_t kv_heads_{};  // at least one: repeated where there are fewer than ranks
  std::int64_t intermediate_{};
  std::int64_t expert_count_{};
  std::int64_t expert_intermediate_{};
  std::int64_t shared_intermediate_{};
  std::int64_t vocab_{};
};

}  // namespace gemmtune
