// Draws, multiplies and judges by kernels on the GPU itself. A problem whose operands take the host seconds to make
// and send takes milliseconds.
#pragma once

#include <memory>

#include "gemmtune/verify/examiner.h"

namespace gemmtune {

/// Throws Error{unsupported} when its kernels cannot be compiled or do not run.
std::unique_ptr<Examiner> make_gpu_examiner(Device& device);

}  // namespace gemmtune
