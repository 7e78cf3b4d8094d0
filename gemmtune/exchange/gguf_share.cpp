#include "gemmtune/exchange/gguf_share.h"

#include <algorithm>

#include "gemmtune/core/error.h"

namespace gemmtune {
namespace {

std::string outputs_of(const GgufProduct& product) { return "the outputs of " + product.stem; }
std::string k_of(const GgufProduct& product) { return "K of " + product.stem; }

}  // namespace

RoutedExperts GgufShare::experts(const GgufProducts& read) const {
  const auto& file = model_.first();
  const auto routed = std::ranges::find(read.products, Tokens::routed, &GgufProduct::tokens);
  if (routed == read.products.end()) {
    if (parallelism_.expert > 1) fail(ErrorCode::usage, "--ep {}: {} has no experts", parallelism_.expert, file.source);
    return {};
  }
  const auto per_token = file.number(model_.key("expert_used_count")).value_or(0);
  if (per_token < 1 || per_token > routed->count)
    fail(ErrorCode::input, "{}: {}: found {}, expected the number of its {} experts that a token gets", file.source,
         model_.key("expert_used_count"), per_token, routed->count);
  for (const auto& product : read.products)
    if (product.tokens == Tokens::routed && product.count != routed->count)
      fail(ErrorCode::input, "{}: {} of layer {}: found {} experts, expected {} as in other layers", file.source,
           product.stem, product.layer, product.count, routed->count);
  return {.count = routed->count, .per_token = per_token};
}

std::int64_t GgufShare::ways(const GgufProduct& product) const {
  return product.tokens == Tokens::routed ? ways_of_each_expert(parallelism_) : parallelism_.tensor;
}

ModelGemm GgufShare::of(const GgufProduct& product) {
  ModelGemm gemm{.layer = product.stem, .n = product.n, .k = product.k, .bias = product.bias, .tokens = product.tokens};
  if (product.tokens == Tokens::routed)
    gemm.count = cut({"the number of experts", product.count}, parallelism_.expert, "--ep");
  switch (product.use) {
    case GgufUse::inputs:
    case GgufUse::expert_inputs:
      gemm.k = cut({k_of(product), product.k}, ways(product), "--tp");
      break;
    case GgufUse::heads:
      gemm.batch = cut({"the heads of " + product.stem, product.count}, parallelism_.tensor, "--tp");
      break;
    case GgufUse::undivided:
      if (parallelism_.tensor > 1)
        fail(ErrorCode::usage, "--tp {}: it is not known here how devices share {}", parallelism_.tensor, product.stem);
      break;
    case GgufUse::whole:
    case GgufUse::no_product:
      break;
    default:
      gemm.n = share_of_outputs(product);
  }
  return gemm;
}

std::int64_t GgufShare::share_of_outputs(const GgufProduct& product) {
  if (ways(product) == 1) return product.n;
  if (product.tokens == Tokens::last) return share_of_logits(product);
  if (product.use == GgufUse::kv_outputs) return cut({outputs_of(product), product.n}, kv_parts(product), "--tp");
  if (product.use == GgufUse::qkv_outputs) return share_of_qkv(product);
  if (product.stem == "attn_q")
    cut({model_.key("attention.head_count"), heads(product, "attention.head_count")}, ways(product), "--tp");
  return cut({outputs_of(product), product.n}, ways(product), "--tp");
}

/// Serving pads a vocabulary that cannot be divided evenly.
std::int64_t GgufShare::share_of_logits(const GgufProduct& product) {
  const auto tp = parallelism_.tensor;
  const auto share = (product.n + tp - 1) / tp;
  if (product.n % tp != 0)
    notes_.insert(fmt::format("tp {}: its {} logits do not divide and are padded to {}", tp, product.n, share * tp));
  return share;
}

std::int64_t GgufShare::heads(const GgufProduct& product, std::string_view key) const {
  const auto found = model_.first().number_of_layer(model_.key(key), product.layer).value_or(0);
  if (found < 1)
    fail(ErrorCode::input, "{}: {}: found {} heads in layer {}, which has {}", model_.first().source, model_.key(key),
         found, product.layer, product.stem);
  return found;
}

/// Into how many parts the outputs of KV heads are cut: no more than there are heads.
std::int64_t GgufShare::kv_parts(const GgufProduct& product) {
  const auto tp = parallelism_.tensor;
  const bool has_own = model_.first().metadata.contains(model_.key("attention.head_count_kv"));
  const auto* key = has_own ? "attention.head_count_kv" : "attention.head_count";
  const auto kv_heads = heads(product, key);
  const auto on_device = cut_kv_heads({model_.key(key), kv_heads}, tp);
  if (kv_heads < tp)
    notes_.insert(fmt::format("tp {}: its {} KV heads are repeated, so that each rank has one", tp, kv_heads));
  return kv_heads / on_device;
}

/// Keys and values are as wide as each other here; what is left are the queries.
std::int64_t GgufShare::share_of_qkv(const GgufProduct& product) {
  const auto tp = parallelism_.tensor;
  const auto parts = kv_parts(product);
  const auto query_heads = heads(product, "attention.head_count");
  const bool has_own = model_.first().metadata.contains(model_.key("attention.head_count_kv"));
  const auto kv_heads = has_own ? heads(product, "attention.head_count_kv") : query_heads;
  const auto all_heads = query_heads + 2 * kv_heads;
  if (product.n % all_heads != 0)
    fail(ErrorCode::usage, "--tp {}: the {} outputs of {} are not {} heads of one width", tp, product.n, product.stem,
         all_heads);
  const auto width = product.n / all_heads;
  return cut({model_.key("attention.head_count"), query_heads}, tp, "--tp") * width + 2 * kv_heads / parts * width;
}

}  // namespace gemmtune
