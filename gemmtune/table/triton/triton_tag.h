// What AITER calls its Triton kernels of a format, in the names of configuration files.
#pragma once

#include "gemmtune/gemm/format.h"
#include "gemmtune/table/triton/triton_name.h"

namespace gemmtune {

/// Kernel and tag alone: GEMM and A8W8_BLOCKSCALE. `packed`: the weights are shuffled ahead.
TritonName triton_kernel_of(Format format, bool packed);

}  // namespace gemmtune
