// What the layers of a hybrid model consist of: which of its layers mix tokens by attention, by a linear attention or
// by a state-space model, and which have no feed-forward part. Fields that mean layers unknown here are refused by
// name.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gemmtune/shapes/json_reader.h"
#include "gemmtune/shapes/model_config.h"

namespace gemmtune {

/// The parts of each layer, in order. Throws Error{input}, which names the field, if the fields contradict each other
/// or name a kind that is not known here.
std::vector<LayerParts> layer_parts(const nlohmann::json& json, const JsonReader& fields, const ModelConfig& model);

/// The gated delta net of Qwen3-Next and Qwen3.5, and the Mamba-2 mixer of Nemotron-H.
LinearAttention linear_attention(const JsonReader& fields);
Mamba mamba(const JsonReader& fields);

/// Throws Error{input} that names the first field that stands for layers that are not known here.
void refuse_unknown_layers(const nlohmann::json& json, const JsonReader& fields, const ModelConfig& model);

}  // namespace gemmtune
