// What llama.cpp does with a tensor of a GGUF file, by its name: which of them are the weights of a matrix
// multiplication, and how several devices share it. Source: llama.cpp's list of tensors and of the operators that read
// them (src/llama-arch.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gemmtune {

enum class GgufUse {
  outputs,         // devices share the outputs
  inputs,          // devices share K
  kv_outputs,      // outputs of KV heads, which are repeated if there are more devices
  qkv_outputs,     // queries, keys and values in one tensor
  whole,           // every device computes all of it
  undivided,       // how devices share it is not known here: one device only
  heads,           // a stack of matrices, one for each head
  expert_outputs,  // a stack of matrices, one for each expert
  expert_inputs,
  no_product,  // looked up, added, convolved: no weights of a multiplication
};

/// The name of a tensor in its parts: "blk.3.attn_q.weight" is layer 3, "attn_q", "weight".
struct GgufName {
  std::optional<std::int64_t> layer{};
  std::string stem{};
  std::string kind{};  // "weight", "bias", or "" for a name without
};

GgufName parse_gguf_name(std::string_view name);

/// What reads a layer's weights of this stem ("attn_q"). Nothing for a stem that is not known here.
std::optional<GgufUse> gguf_use(std::string_view stem);

}  // namespace gemmtune
