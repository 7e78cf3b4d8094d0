// The products of a GGUF model's tensors: which tensors are weights of which layer, before anything is divided among
// devices.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gemmtune/exchange/gguf_model.h"
#include "gemmtune/exchange/gguf_uses.h"
#include "gemmtune/shapes/model_gemms.h"

namespace gemmtune {

/// The weights of one multiplication of one layer, or of the logits.
struct GgufProduct {
  std::string stem{};  // "attn_q", "ffn_gate_exps", "output"
  GgufUse use{};
  std::int64_t layer{};  // 0 for the logits
  std::uint32_t type{};
  std::int64_t n{};
  std::int64_t k{};
  std::int64_t count{1};  // of stacked matrices: experts or heads
  bool bias{};
  Tokens tokens{Tokens::all};
};

struct GgufProducts {
  std::vector<GgufProduct> products{};
  std::map<std::string, std::int64_t> unknown{};  // stems of matrices with unknown use, and how many there are of each
  std::int64_t prediction_layers{};               // last layers that only predict further tokens; they are left out
};

/// Throws Error{input} if a tensor does not have as many dimensions as its name says.
GgufProducts gguf_products(const GgufModel& model);

}  // namespace gemmtune
