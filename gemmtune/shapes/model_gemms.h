// The matrix multiplications of a model's forward pass, for one way of distributing it over devices. Source of the
// shapes: the layers as vLLM and SGLang run them (fused projections, column- and row-parallel layers).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemmtune/shapes/model_config.h"
#include "gemmtune/shapes/parallelism.h"

namespace gemmtune {

/// The tokens that are a multiplication's rows.
enum class Tokens {
  all,
  routed,  // tokens that the router sends to one expert
  last,    // tokens whose next token is to be predicted
};

struct ModelGemm {
  std::string layer{};  // "qkv_proj", "experts.down_proj", "lm_head"
  std::vector<std::string>
      modules{};  // below model.layers.i, of the checkpoint: "self_attn.q_proj"; empty: never quantised
  std::int64_t n{};
  std::int64_t k{};
  std::int64_t batch{1};
  std::int64_t count{1};  // how many of these one layer has
  bool bias{};
  Tokens tokens{Tokens::all};
};

/// How projections of the same input are computed.
enum class Projections { fused, unfused };

/// How attention through low-rank projections is computed: with keys and values unpacked (prefill: kv_b_proj), or with
/// that projection absorbed into queries and outputs (decode: two batched multiplications with one matrix for each
/// head).
enum class LatentForm { unpacked, absorbed };

/// One rank's part of a model on several devices. Throws Error{usage}, which names the dimension, if a dimension cannot
/// be divided.
class ShardedModel {
 public:
  ShardedModel(const ModelConfig& model, Parallelism parallelism);

  /// The projections of what mixes the layer's tokens: attention, a linear attention, a state-space model, or nothing.
  std::vector<ModelGemm> mixer(std::int64_t layer, Projections projections, LatentForm form) const;

  /// Empty for a layer without one. The multiplications of a dense MLP, or of the router, the routed experts and the
  /// shared experts.
  std::vector<ModelGemm> feed_forward(std::int64_t layer, Projections projections) const;

  /// The rank's part of the vocabulary. If it cannot be divided evenly it is rounded up, because serving pads it.
  ModelGemm logits() const;

  /// Remarks for the user: repeated KV heads, a padded vocabulary.
  std::vector<std::string> notes() const;

 private:
  std::vector<ModelGemm> grouped_query_attention(Projections projections) const;
  std::vector<ModelGemm> latent_attention(Projections projections, LatentForm form) const;
  void add_indexer(std::vector<ModelGemm>& gemms) const;
  std::vector<ModelGemm> linear_attention(Projections projections) const;
  std::vector<ModelGemm> mamba() const;
  std::vector<ModelGemm> mlp(const ModelGemm& like, std::int64_t intermediate, Projections projections) const;
  bool has_experts(std::int64_t layer) const;

  const ModelConfig& model_;
  Parallelism parallelism_;
  std::int64_t heads_{};     // on this rank, like all members below
  std::int64_t kv_heads_{};  // at least one: heads are repeated if there are fewer than ranks
  std::int64_t intermediate_{};
  std::int64_t expert_count_{};
  std::int64_t expert_intermediate_{};
  std::int64_t shared_intermediate_{};
  std::int64_t vocab_{};
  LinearAttention linear_{};
  Mamba mamba_{};
};

}  // namespace gemmtune
