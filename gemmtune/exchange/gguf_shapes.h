// The matrix multiplications of a model in GGUF files, as a list to tune. They follow from the tensors as they are
// stored: what a file has in one tensor is one product, whatever the model's architecture.
#pragma once

#include <string_view>

#include "gemmtune/exchange/gguf_model.h"
#include "gemmtune/shapes/gemm_shapes.h"

namespace gemmtune {

/// `format` is as in gguf_formats.h. Notes say which types are listed in which format, and which tensors are not listed
/// and why. Throws Error: usage if a number of devices does not divide a dimension, or if it is not known how a tensor
/// is divided; input if there is nothing to list, or what routes tokens to experts is missing.
ModelShapes gguf_shapes(const GgufModel& model, std::string_view format, const ModelRequest& request);

}  // namespace gemmtune
