#include "gemmtune/exchange/gguf_products.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gemmtune/core/error.h"
#include "gemmtune/core/visible.h"

namespace gemmtune {
namespace {

bool is_stack(GgufUse use) {
  return use == GgufUse::heads || use == GgufUse::expert_outputs || use == GgufUse::expert_inputs;
}

Tokens tokens_of(GgufUse use) {
  return use == GgufUse::expert_outputs || use == GgufUse::expert_inputs ? Tokens::routed : Tokens::all;
}

class ProductReader {
 public:
  explicit ProductReader(const GgufModel& model) : model_(model) {
    const auto blocks = model.first().number(model.key("block_count"));
    read_.prediction_layers = model.first().number(model.key("nextn_predict_layers")).value_or(0);
    if (blocks && read_.prediction_layers > 0) run_layers_ = *blocks - read_.prediction_layers;
    for (const auto& file : model.files)
      for (const auto& tensor : file.tensors) names_.insert(tensor.name);
  }

  GgufProducts read() {
    for (const auto& file : model_.files)
      for (const auto& tensor : file.tensors) add(tensor, file.source);
    add_tied_logits();
    std::ranges::stable_partition(read_.products, [](const auto& each) { return each.tokens != Tokens::last; });
    return std::move(read_);
  }

 private:
  void add(const GgufTensor& tensor, const std::string& source) {
    const auto name = parse_gguf_name(tensor.name);
    if (name.kind == "bias") return;
    if (!name.layer) return add_outside_of_layers(tensor, name);
    if (run_layers_ && *name.layer >= *run_layers_) return;
    const auto use = name.kind == "weight" ? gguf_use(name.stem) : std::nullopt;
    if (use == GgufUse::no_product) return;
    if (!use) return add_unknown(tensor, name.stem);
    const std::size_t most = is_stack(*use) ? 3 : 2;
    if (dimensions(tensor) > most)
      fail(ErrorCode::input, "{}: {}: found {} dimensions, expected {}", source, visible_start(tensor.name),
           dimensions(tensor), most);
    read_.products.push_back({.stem = name.stem,
                              .use = *use,
                              .layer = *name.layer,
                              .type = tensor.type,
                              .n = rows(tensor),
                              .k = tensor.shape[0],
                              .count = is_stack(*use) && tensor.shape.size() > 2 ? tensor.shape[2] : 1,
                              .bias = has_bias(tensor.name),
                              .tokens = tokens_of(*use)});
  }

  /// Sizes of 1 at the end do not count: some writers keep them.
  static std::size_t dimensions(const GgufTensor& tensor) {
    auto count = tensor.shape.size();
    while (count > 2 && tensor.shape[count - 1] == 1) --count;
    return count;
  }

  /// A matrix of one row may be stored as a vector.
  static std::int64_t rows(const GgufTensor& tensor) { return tensor.shape.size() > 1 ? tensor.shape[1] : 1; }

  /// "blk.0.attn_q.weight" and "blk.0.attn_q.bias".
  bool has_bias(const std::string& weight) const {
    const auto stem = weight.substr(0, weight.size() - std::string_view("weight").size());
    return names_.contains(stem + "bias");
  }

  /// Vectors are scales, shifts and the like.
  void add_unknown(const GgufTensor& tensor, const std::string& stem) {
    if (dimensions(tensor) > 1) ++read_.unknown[visible_start(stem, 60)];
  }

  void add_outside_of_layers(const GgufTensor& tensor, const GgufName& name) {
    if (name.stem == "output" && name.kind == "weight") return add_logits(tensor, "output");
    const bool is_looked_up = name.stem == "token_embd" || name.stem == "position_embd" || name.stem == "token_types" ||
                              name.stem == "per_layer_token_embd";
    const bool is_known = is_looked_up || gguf_use(name.stem) == GgufUse::no_product || name.stem.starts_with("rope_");
    if (!is_known) add_unknown(tensor, name.stem);
  }

  void add_logits(const GgufTensor& tensor, const std::string& stem) {
    read_.products.push_back({.stem = stem,
                              .use = GgufUse::outputs,
                              .type = tensor.type,
                              .n = rows(tensor),
                              .k = tensor.shape[0],
                              .bias = names_.contains("output.bias"),
                              .tokens = Tokens::last});
  }

  /// Without weights of its own, the output has those of the embedding. Encoders have no logits.
  void add_tied_logits() {
    if (names_.contains("output.weight")) return;
    if (!model_.first().flag(model_.key("attention.causal")).value_or(true)) return;
    for (const auto& file : model_.files)
      for (const auto& tensor : file.tensors)
        if (tensor.name == "token_embd.weight" && tensor.shape.size() > 1) add_logits(tensor, "token_embd(tied)");
  }

  const GgufModel& model_;
  std::set<std::string, std::less<>> names_;
  std::optional<std::int64_t> run_layers_;
  GgufProducts read_;
};

}  // namespace

GgufProducts gguf_products(const GgufModel& model) { return ProductReader(model).read(); }

}  // namespace gemmtune
