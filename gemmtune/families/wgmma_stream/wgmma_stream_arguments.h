// What the host gives to the kernel in wgmma_stream.cu. Shared by the host and the run-time compiler.
#pragma once

#include "gemmtune/kernels/stream/arguments.h"

namespace gemmtune {

struct WgmmaStreamArguments {
  const float* a_scale{};  // [batch][M], or [batch] for scales of whole tensors, or null
  const float* w_scale{};  // [batch][N], or [batch], or null
  StreamArguments stream{};
};

}  // namespace gemmtune
