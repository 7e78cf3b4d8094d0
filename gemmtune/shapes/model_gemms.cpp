#include "gemmtune/shapes/model_gemms.h"

#include <algorithm>
#include <utility>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::vector<std::string> modules(const std::string& parent, std::initializer_list<const char*> names) {
  std::vector<std::string> paths;
  for (const auto* name : names) paths.push_back(parent + "." + name);
  return paths;
}

}  // namespace

ShardedModel::ShardedModel(const ModelConfig& model, Parallelism parallelism)
    : model_(model), parallelism_(parallelism) {
  const auto tp = parallelism.tensor;
  heads_ = cut({"num_attention_heads", model.heads}, tp, "--tp");
  kv_heads_ = model.latent ? heads_ : cut_kv_heads({"num_key_value_heads", model.kv_heads}, tp);
  intermediate_ = cut({"intermediate_size", model.intermediate}, tp, "--tp");
  vocab_ = (model.vocab + tp - 1) / tp;
  if (model.linear) {
    linear_ = *model.linear;
    linear_.key_heads = cut({"linear_num_key_heads", linear_.key_heads}, tp, "--tp");
    linear_.value_heads = cut({"linear_num_value_heads", linear_.value_heads}, tp, "--tp");
  }
  if (model.mamba) {
    mamba_ = *model.mamba;
    mamba_.heads = cut({"mamba_num_heads", mamba_.heads}, tp, "--tp");
    mamba_.groups = cut({"n_groups", mamba_.groups}, tp, "--tp");
  }
  if (!model.experts) {
    if (parallelism.expert > 1) fail(ErrorCode::usage, "--ep {}: {} has no experts", parallelism.expert, model.source);
    return;
  }
  const auto& experts = *model.experts;
  expert_count_ = cut({"the number of experts", experts.count}, parallelism.expert, "--ep");
  const auto ways = ways_of_each_expert(parallelism);
  expert_intermediate_ = cut({"moe_intermediate_size", experts.intermediate}, ways, "--tp");
  shared_intermediate_ = cut({"the shared experts' intermediate size", experts.shared_intermediate}, tp, "--tp");
}

std::vector<ModelGemm> ShardedModel::mixer(std::int64_t layer, Projections projections, LatentForm form) const {
  switch (parts_of(model_, layer).mixer) {
    case Mixer::attention:
      return model_.latent ? latent_attention(projections, form) : grouped_query_attention(projections);
    case Mixer::linear_attention:
      return linear_attention(projections);
    case Mixer::mamba:
      return mamba();
    case Mixer::none:
      break;
  }
  return {};
}

/// Queries, keys, values and the output's gates are one product, the two scalars of each head another.
std::vector<ModelGemm> ShardedModel::linear_attention(Projections projections) const {
  const auto keys = linear_.key_heads * linear_.key_dim;
  const auto values = linear_.value_heads * linear_.value_dim;
  const auto part = [&](const char* name, std::initializer_list<const char*> parts, std::int64_t n) {
    return ModelGemm{.layer = std::string("linear_attn.") + name,
                     .modules = modules("linear_attn", parts),
                     .n = n,
                     .k = model_.hidden};
  };
  std::vector<ModelGemm> gemms;
  if (projections == Projections::fused)
    gemms = {part("in_proj_qkvz", {"in_proj_qkvz", "in_proj_qkv", "in_proj_z"}, 2 * keys + 2 * values),
             part("in_proj_ba", {"in_proj_ba", "in_proj_b", "in_proj_a"}, 2 * linear_.value_heads)};
  else
    gemms = {part("in_proj_qkv", {"in_proj_qkvz", "in_proj_qkv"}, 2 * keys + values),
             part("in_proj_z", {"in_proj_qkvz", "in_proj_z"}, values),
             part("in_proj_b", {"in_proj_ba", "in_proj_b"}, linear_.value_heads),
             part("in_proj_a", {"in_proj_ba", "in_proj_a"}, linear_.value_heads)};
  gemms.push_back(part("out_proj", {"out_proj"}, model_.hidden));
  gemms.back().k = values;
  return gemms;
}

/// One product gives gates, values, the states' two sides and the time steps.
std::vector<ModelGemm> ShardedModel::mamba() const {
  const auto inner = mamba_.heads * mamba_.head_dim;
  const auto in = 2 * inner + 2 * mamba_.groups * mamba_.state + mamba_.heads;
  return {{.layer = "mamba.in_proj", .modules = {"mixer.in_proj"}, .n = in, .k = model_.hidden},
          {.layer = "mamba.out_proj", .modules = {"mixer.out_proj"}, .n = model_.hidden, .k = inner}};
}

/// Every rank computes all of it, as it chooses the tokens for all heads.
void ShardedModel::add_indexer(std::vector<ModelGemm>& gemms) const {
  const auto& latent = *model_.latent;
  if (latent.index_heads == 0) return;
  const auto part = [](const char* name, std::int64_t n, std::int64_t k) {
    return ModelGemm{
        .layer = std::string("indexer.") + name, .modules = modules("self_attn.indexer", {name}), .n = n, .k = k};
  };
  gemms.push_back(part("wq_b", latent.index_heads * latent.index_dim, latent.q_rank));
  gemms.push_back(part("wk", latent.index_dim, model_.hidden));
  gemms.push_back({.layer = "indexer.weights_proj", .n = latent.index_heads, .k = model_.hidden});
}

std::vector<ModelGemm> ShardedModel::grouped_query_attention(Projections projections) const {
  const auto values = heads_ * model_.head_dim;
  const auto q = model_.gated_attention ? 2 * values : values;
  const auto kv = kv_heads_ * model_.head_dim;
  const auto projection = [&](const char* name, std::int64_t n) {
    return ModelGemm{.layer = name,
                     .modules = modules(model_.paths.attention, {name}),
                     .n = n,
                     .k = model_.hidden,
                     .bias = model_.qkv_bias};
  };
  std::vector<ModelGemm> gemms;
  if (projections == Projections::fused) {
    gemms.push_back(projection("qkv_proj", q + 2 * kv));
    gemms.back().modules = modules(model_.paths.attention, {"q_proj", "k_proj", "v_proj", "qkv_proj"});
  } else {
    gemms = {projection("q_proj", q), projection("k_proj", kv), projection("v_proj", kv)};
  }
  gemms.push_back({.layer = "o_proj",
                   .modules = modules(model_.paths.attention, {"o_proj"}),
                   .n = model_.hidden,
                   .k = values,
                   .bias = model_.o_bias});
  return gemms;
}

/// The projections to low ranks are small, so every rank computes all of them.
std::vector<ModelGemm> ShardedModel::latent_attention(Projections projections, LatentForm form) const {
  const auto& latent = *model_.latent;
  const auto projection = [](const char* name, std::int64_t n, std::int64_t k) {
    return ModelGemm{.layer = name, .modules = modules("self_attn", {name}), .n = n, .k = k};
  };
  const auto kv_down = latent.kv_rank + latent.rope_dim;
  const auto q_dim = heads_ * (latent.nope_dim + latent.rope_dim);
  std::vector<ModelGemm> gemms;
  if (latent.q_rank == 0) {
    gemms = {projection("q_proj", q_dim, model_.hidden), projection("kv_a_proj_with_mqa", kv_down, model_.hidden)};
  } else if (projections == Projections::fused) {
    gemms = {projection("fused_qkv_a_proj", latent.q_rank + kv_down, model_.hidden)};
    gemms[0].modules = modules("self_attn", {"q_a_proj", "kv_a_proj_with_mqa"});
  } else {
    gemms = {projection("q_a_proj", latent.q_rank, model_.hidden),
             projection("kv_a_proj_with_mqa", kv_down, model_.hidden)};
  }
  for (auto& gemm : gemms) gemm.bias = gemm.layer != "q_proj" && model_.qkv_bias;
  if (latent.q_rank > 0) gemms.push_back(projection("q_b_proj", q_dim, latent.q_rank));
  if (form == LatentForm::unpacked) {
    gemms.push_back(projection("kv_b_proj", heads_ * (latent.nope_dim + latent.v_dim), latent.kv_rank));
  } else {
    gemms.push_back({.layer = "absorbed_q", .n = latent.kv_rank, .k = latent.nope_dim, .batch = heads_});
    gemms.push_back({.layer = "absorbed_v", .n = latent.v_dim, .k = latent.kv_rank, .batch = heads_});
  }
  gemms.push_back(projection("o_proj", model_.hidden, heads_ * latent.v_dim));
  gemms.back().bias = model_.o_bias;
  add_indexer(gemms);
  return gemms;
}

/// `like` describes the MLP: the beginning of its layer's and modules' names, its tokens, its count and its bias.
std::vector<ModelGemm> ShardedModel::mlp(const ModelGemm& like, std::int64_t intermediate,
                                         Projections projections) const {
  const auto& parent = like.modules.front();
  const auto part = [&](std::initializer_list<const char*> names, std::int64_t n, std::int64_t k) {
    auto gemm = like;
    gemm.layer += *names.begin();
    gemm.modules = modules(parent, names);
    gemm.n = n;
    gemm.k = k;
    return gemm;
  };
  std::vector<ModelGemm> gemms;
  if (!model_.gated_mlp)
    gemms = {part({"up_proj"}, intermediate, model_.hidden)};
  else if (projections == Projections::fused)
    gemms = {part({"gate_up_proj", "gate_proj", "up_proj"}, 2 * intermediate, model_.hidden)};
  else
    gemms = {part({"gate_proj"}, intermediate, model_.hidden), part({"up_proj"}, intermediate, model_.hidden)};
  gemms.push_back(part({"down_proj"}, model_.hidden, intermediate));
  return gemms;
}

bool ShardedModel::has_experts(std::int64_t layer) const {
  return model_.experts && model_.experts->in_layer[static_cast<std::size_t>(layer)];
}

std::vector<ModelGemm> ShardedModel::feed_forward(std::int64_t layer, Projections projections) const {
  if (!parts_of(model_, layer).feed_forward) return {};
  const auto& path = model_.paths.mlp;
  if (!has_experts(layer)) return mlp({.modules = {path}, .bias = model_.mlp_bias}, intermediate_, projections);
  const auto& experts = *model_.experts;
  std::vector<ModelGemm> gemms{{.layer = "router", .n = experts.count, .k = model_.hidden, .bias = experts.bias}};
  const auto add = [&](const ModelGemm& like, std::int64_t intermediate) {
    const auto more = mlp(like, intermediate, projections);
    gemms.insert(gemms.end(), more.begin(), more.end());
  };
  add({.layer = "experts.",
       .modules = {path + ".experts.0"},
       .count = expert_count_,
       .bias = experts.bias,
       .tokens = Tokens::routed},
      expert_intermediate_);
  if (experts.shared_intermediate == 0) return gemms;
  const bool is_one = experts.shared_gate || path == "feed_forward";  // Qwen, Llama 4
  add({.layer = "shared_experts.", .modules = {path + (is_one ? ".shared_expert" : ".shared_experts")}},
      shared_intermediate_);
  if (experts.shared_gate) gemms.push_back({.layer = "shared_expert_gate", .n = 1, .k = model_.hidden});
  return gemms;
}

ModelGemm ShardedModel::logits() const {
  return {.layer = model_.tied_logits ? "lm_head(tied)" : "lm_head",
          .n = vocab_,
          .k = model_.hidden,
          .tokens = Tokens::last};
}

std::vector<std::string> ShardedModel::notes() const {
  const auto tp = parallelism_.tensor;
  std::vector<std::string> notes;
  if (!model_.latent && model_.kv_heads < tp)
    notes.push_back(fmt::format("tp {}: its {} KV heads are repeated, so that each rank has one", tp, model_.kv_heads));
  if (model_.vocab % tp != 0)
    notes.push_back(
        fmt::format("tp {}: vocab_size {} does not divide and is padded to {}", tp, model_.vocab, vocab_ * tp));
  return notes;
}

}  // namespace gemmtune
