// What the host gives to the kernel in block_stream.cu. Shared by the host and the run-time compiler.
#pragma once

#include "gemmtune/kernels/stream/arguments.h"

namespace gemmtune {

struct BlockStreamArguments {
  const float* a_scale{};  // [batch][M][K/128]
  const float* w_scale{};  // [batch][N/128, rounded up][K/128], or [batch][N] with STREAM_W_ROWS
  StreamArguments stream{};
};

}  // namespace gemmtune
