// The numeric formats of a model's multiplications: from its quantization_config, or as asked for.
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
  Problem plain{};              // types of what is not quantised; sizes mean nothing
  Problem quantised{};          // of the others
  ModulePatterns left_alone{};  // modules that the checkpoint did not quantise
  std::string because{};        // "its quantization_config is of fp8 with blocks of 128x128"
};

/// `asked` is the name of a format (gemm/format.h) or three types as in a problem's text, "" to look at the config.
/// Modules that the config names as not quantised stay so in either case. Throws Error: input for a
/// quantization_config that has no counterpart here (weight-only int4, blocks of other sizes): it says to ask for one;
/// usage for an `asked` that is none.
ModelFormat model_format(const nlohmann::json& config, const ModelConfig& model, std::string_view asked);

}  // namespace gemmtune
