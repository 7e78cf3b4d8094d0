// Tensors moved between layouts by kernels on the GPU itself.
#pragma once

#include <memory>

#include "gemmtune/verify/layout_examiner.h"

namespace gemmtune {

std::unique_ptr<Relayout> make_gpu_relayout(Device& device);

}  // namespace gemmtune
