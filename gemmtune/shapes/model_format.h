// The numeric formats of a model's multiplications: from its quantization_config, or as the user requests.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "gemmtune/gemm/problem.h"
#include "gemmtune/shapes/model_config.h"
#include "gemmtune/shapes/module_patterns.h"

namespace gemmtune {

struct ModelFormat {
  Problem plain{};              // types of the modules that are not quantised; its sizes have no meaning
  Problem quantised{};          // types of all other modules
  ModulePatterns left_alone{};  // modules that the checkpoint did not quantise
  std::string because{};        // "its quantization_config is of fp8 with blocks of 128x128"
};

/// `asked` is the name of a format (gemm/format.h), three types as in a problem's text, or "" for what the config
/// states. In each case, modules that the config names as not quantised stay unquantised. Throws Error{input} for a
/// quantization_config that has no counterpart here (weight-only int4, other block sizes), and its message suggests
/// requesting a format. Throws Error{usage} if `asked` is not a format.
ModelFormat model_format(const nlohmann::json& config, const ModelConfig& model, std::string_view asked);

/// The types of the format `asked`, which is a name or three types, for a model whose own type is `model_type`; without
/// bias, as the model decides about biases. Its sizes have no meaning. Throws Error{usage} if `asked` is not a format.
Problem types_asked_for(std::string_view asked, DType model_type);

/// A problem's types as text: "e4m3/row:e4m3/row:bf16".
std::string types_text(const Problem& problem);

}  // namespace gemmtune
