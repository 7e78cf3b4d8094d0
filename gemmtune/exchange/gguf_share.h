// One device's part of the products of a GGUF model.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gemmtune/exchange/gguf_products.h"
#include "gemmtune/shapes/gemm_shapes.h"

namespace gemmtune {

class GgufShare {
 public:
  /// `model` must outlive it.
  GgufShare(const GgufModel& model, Parallelism parallelism) : model_(model), parallelism_(parallelism) {}

  /// How tokens are routed. Nothing for a model without experts. Throws Error: usage if --ep is asked of such a model
  /// or does not divide the experts; input if the file does not say how many of them a token gets.
  RoutedExperts experts(const GgufProducts& read) const;

  /// The multiplication that this device runs. Throws Error{usage}, which names the dimension, if it cannot be divided.
  ModelGemm of(const GgufProduct& product);

  /// Remarks for the user: repeated KV heads, a padded vocabulary.
  std::vector<std::string> notes() const { return {notes_.begin(), notes_.end()}; }

 private:
  std::int64_t heads(const GgufProduct& product, std::string_view key) const;
  std::int64_t share_of_outputs(const GgufProduct& product);
  std::int64_t kv_parts(const GgufProduct& product);
  std::int64_t share_of_qkv(const GgufProduct& product);
  std::int64_t share_of_logits(const GgufProduct& product);
  std::int64_t ways(const GgufProduct& product) const;

  const GgufModel& model_;
  Parallelism parallelism_;
  std::set<std::string> notes_;
};

}  // namespace gemmtune
