// The shapes that a model needs, as a list to tune: for each number of devices and each M, every multiplication with
// its number of executions in a forward pass.
#pragma once

#include "gemmtune/shapes/gemm_shapes.h"
#include "gemmtune/shapes/model_config.h"
#include "gemmtune/shapes/model_format.h"

namespace gemmtune {

/// Throws Error{usage} if a number of devices does not divide a dimension.
ModelShapes model_shapes(const ModelConfig& model, const ModelFormat& format, const ModelRequest& request);

}  // namespace gemmtune
